import type { Controller } from "#shared/runtime/controller.ts";
import type { AllPorts } from "../precache/precache-system.ts";
import { recordedPorts, type Step, times } from "./recorded-ports.ts";

export type TraceOptions = Readonly<{
  /** How many changes of a write are shown. */
  maxChanges?: number;
  /**
   * For a story of several functions: shows their names, and of each write only the changes of these fields. Leaves out
   * reads, the reasons of writes, the data of outcomes, repeated decisions, and the batches in which functions found
   * nothing to do.
   */
  story?: RegExp;
}>;

const width = 118;
const labelWidth = 10;
const maxChangeLength = 160;
const maxDataLength = 60;

/** Breaks text at spaces, so that a diff of two traces fits on a page; later lines are indented further. */
function wrapped(text: string, indent = 0, hanging = 0): readonly string[] {
  const [leading = ""] = /^ */.exec(text) ?? [];
  const [first = "", ...words] = text.trimStart().split(" ");
  const lines: string[] = [];
  let line = `${" ".repeat(indent)}${leading}${first}`;
  for (const word of words) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${" ".repeat(indent + hanging)}${leading}${word}`;
    } else line += ` ${word}`;
  }
  return [...lines, line].map((part) => part.trimEnd());
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text);

/** Returns the lines of a step: its own, and below it what changed. */
function linesOf({ label, text, reason, changes, data }: Step, maxChanges: number): readonly string[] {
  const [first = "", ...others] = wrapped(reason ? `${text} (${reason})` : text, labelWidth);
  const more = changes.length > maxChanges ? [`… and ${changes.length - maxChanges} more lines`] : [];
  const details = [...changes.slice(0, maxChanges), ...more];
  return [
    `${label.padEnd(labelWidth)}${first.trimStart()}`,
    ...others,
    ...details.flatMap((change) => wrapped(cut(change, maxChangeLength), labelWidth + 2, 2)),
    ...(data.length > 0
      ? wrapped(data.map((field) => cut(field, maxDataLength)).join("; "), labelWidth + 2)
      : []),
  ];
}

/** Returns the steps with equal events as one, and without long lists of reads and changes that were shown before. */
function shortened(steps: readonly Step[], shown: Set<string>): readonly Step[] {
  const isShown = (text: string): boolean => {
    const isRepeated = text.length > width && shown.has(text);
    shown.add(text);
    return isRepeated;
  };
  const events = Map.groupBy(
    steps.filter(({ label }) => label === "event"),
    ({ text }) => text,
  );
  return steps
    .filter((step) => step.label !== "event" || events.get(step.text)?.[0] === step)
    .map((step) => {
      if (step.label === "event")
        return { ...step, text: times(step.text, events.get(step.text)?.length ?? 1) };
      if (step.label === "read") return isShown(step.text) ? { ...step, text: "the same as above" } : step;
      return step.changes.length > 2 && isShown(step.changes.join("\n"))
        ? { ...step, changes: ["the same as above"] }
        : step;
    });
}

const effects: readonly Step["label"][] = [
  "written",
  "refused",
  "sent",
  "outcome",
  "requeued",
  "retry",
  "dead",
];

/** Returns what a story shows of a batch; nothing when it had no effect. */
function inStory(steps: readonly Step[], story: RegExp, name: string): readonly Step[] {
  if (!steps.some(({ label }) => effects.includes(label))) return [];
  const events = steps.filter(({ label }) => label === "event");
  const byKind = [...Map.groupBy(events, ({ text }) => text.replace(/^\w+ (\w+).*$/, "$1"))];
  const text = byKind.map(([kind, { length }]) => `${length} ${kind}`).join(", ");
  const rest = steps.filter(
    (step, index) =>
      !["event", "read"].includes(step.label) &&
      !(step.label === "decided" && steps.slice(0, index).some((earlier) => earlier.text === step.text)),
  );
  return [
    { label: "event", text: `${text} → ${name}`, changes: [], data: [] },
    ...rest.map(({ reason: _reason, ...step }) => ({
      ...step,
      changes: step.changes.filter((change) => story.test(change)),
      data: [],
    })),
  ];
}

/**
 * Records what functions do as Markdown for people: each event, the decisions with their reasons, the writes with what
 * they change, the outcomes, and the messages that follow, in the order in which they happen.
 */
export function goldenTrace(
  name: string,
  introduction: string,
  { maxChanges = 12, story }: TraceOptions = {},
) {
  const parts: (string | (() => readonly Step[]))[] = [
    `# ${name}`,
    `${introduction} Each block is a batch of messages, in the order of what happened. \`npm run golden\` writes this file.`,
  ];
  let isRecording = true;

  return {
    name,
    /** Returns the ports of one batch, recorded. */
    around(ports: AllPorts, controller?: Pick<Controller, "name">): AllPorts {
      if (!isRecording) return ports;
      const recorded = recordedPorts(ports);
      const ofStory = story && controller && (() => inStory(recorded.steps(), story, controller.name));
      parts.push(ofStory ?? recorded.steps);
      return recorded.ports;
    },
    scenario(title: string): void {
      parts.push(`## ${title}`);
    },
    /** States what a person or another program does. */
    say(text: string): void {
      parts.push(text);
    },
    /** Runs what has happened before a scenario, without recording it. */
    async unrecorded(work: () => Promise<unknown>): Promise<void> {
      isRecording = false;
      await work();
      isRecording = true;
    },
    /** Returns the Markdown of everything that was recorded. */
    text(): string {
      const shown = new Set<string>();
      const paragraphs = parts.flatMap((part) => {
        if (typeof part === "string") return [wrapped(part).join("\n")];
        const steps = shortened(part(), shown);
        if (steps.length === 0) return [];
        const lines = steps.flatMap((step) => linesOf(step, maxChanges));
        return [`\`\`\`text\n${lines.join("\n")}\n\`\`\``];
      });
      const text = `${paragraphs.join("\n\n")}\n`;
      // The batches of one moment of a story are one block.
      return story ? text.replaceAll("\n```\n\n```text\n", "\n\n") : text;
    },
  };
}

export type GoldenTrace = ReturnType<typeof goldenTrace>;
