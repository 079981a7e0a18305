import { displayName, timestamp } from "#shared/domain/kubernetes/object.ts";
import type { Log, LogEntry } from "#shared/ports/log.ts";
import { severityColours } from "../../io/issue-subject.ts";
import { issueSentences, placeText } from "../../io/issue-text.ts";
import { painted, print, safe } from "../../io/safe-text.ts";

import type { DevView } from "./dev-view.ts";

type Colour = Parameters<typeof painted>[0];

type Line = readonly [label: string, colour: Colour, text: string];

/** Returns undefined for entries that only a log needs. */
function line(entry: LogEntry): Line | undefined {
  switch (entry.event) {
    case "event-received":
      return ["event", "cyan", `${entry.type.split(".").at(-1)} ${entry.subject}`];
    case "event-ignored":
      return ["ignored", "dim", `${entry.subject}: ${entry.reason}`];
    case "decided":
      return ["decided", "bold", `${entry.subject}: ${entry.verdict}: ${entry.reason}`];
    case "issue":
      return [
        entry.issue.severity,
        severityColours[entry.issue.severity],
        `${placeText(entry.issue)}${issueSentences(entry.issue)}`,
      ];
    case "published":
      return ["outcome", "magenta", `${entry.type} ${entry.subject}`];
    case "written":
      return ["written", "green", `${entry.verb} ${entry.object} (${entry.reason})`];
    case "sent":
      return ["sent", "green", `${entry.messages} to ${entry.queue} (${entry.reason})`];
    case "conflict":
      return ["conflict", "yellow", `${entry.object}: changed by another writer, reconciling again`];
    case "requeued":
      return ["requeued", "dim", `${entry.key}: reconciling again in ${entry.delaySeconds} s`];
    case "retry":
      return ["retry", "yellow", `${entry.key}: again in ${entry.delaySeconds} s: ${entry.error}`];
    case "dead-lettered":
      return ["dead", "red", `message ${entry.messageId}: ${entry.reason}`];
    case "failed":
      return ["failed", "red", `${entry.key}: ${entry.error}`];
    case "resynced":
      return ["resync", "dim", `${entry.messages} references sent again`];
    case "not-forwarded":
      return ["retry", "yellow", `${entry.queue}: again in ${entry.delaySeconds} s: ${entry.error}`];
    case "reconciled":
    case "handled":
    case "noticed":
    case "forwarded":
    case "synced":
    case "leading":
    case "standing-by":
    case "started":
    case "stopping":
    case "stopped":
      return undefined;
  }
}

/** What one function has shown. */
type Shown = {
  /** Events that have changed nothing so far. */
  events: Set<string>;
  /** The last decision about each subject. */
  decisions: Map<string, string>;
  /** Other lines since the last decision. */
  since: Set<string>;
  /** The issues of each key, of its last reconcile and of this one. */
  issues: Map<string, Readonly<{ before: ReadonlySet<string>; now: Set<string> }>>;
};

/** A line of these events is shown again only after a new decision. */
const collapsed: ReadonlySet<string> = new Set(["written", "sent", "requeued", "event-ignored", "published"]);

/** Returns whether an entry says something that was not shown yet. */
function isNew(entry: LogEntry, text: string, { decisions, since, issues }: Shown, last: string): boolean {
  if (entry.event === "decided") {
    if (decisions.get(entry.subject) === text) return false;
    decisions.set(entry.subject, text);
    since.clear();
    return true;
  }
  if (entry.event === "issue") {
    const ofKey = issues.get(entry.key) ?? { before: new Set(), now: new Set() };
    issues.set(entry.key, ofKey);
    const isKnown = ofKey.before.has(text) || ofKey.now.has(text);
    ofKey.now.add(text);
    return !isKnown;
  }
  // Trouble that returns is always shown, trouble that goes on only once.
  if (!collapsed.has(entry.event)) return text !== last;
  const isRepeated = since.has(text);
  since.add(text);
  return !isRepeated;
}

/**
 * Returns the view of `hubrelay dev` that writes a line for each log entry, with its time, and with colours on a
 * terminal. What a function has shown before is not repeated, and an event that changes nothing is not shown.
 */
export function plainView(stream: NodeJS.WriteStream): DevView {
  let last = "";
  const write = ([label, colour, text]: Line) => {
    last = text;
    print(safe`${timestamp(new Date())} ${painted(colour, label.padEnd(9))}${text}\n`, stream);
  };
  const nothing = () => undefined;
  const logOf = (): Log => {
    const shown: Shown = { events: new Set(), decisions: new Map(), since: new Set(), issues: new Map() };
    return (entry) => {
      if (entry.event === "handled") shown.events.clear();
      if (entry.event === "reconciled")
        shown.issues.set(entry.key, {
          before: shown.issues.get(entry.key)?.now ?? new Set(),
          now: new Set(),
        });
      const next = line(entry);
      if (!next) return;
      if (entry.event === "event-received") shown.events.add(next[2]);
      else if (isNew(entry, next[2], shown, last)) {
        for (const event of shown.events) write(["event", "cyan", event]);
        shown.events.clear();
        write(next);
      }
    };
  };
  const logOfFiles = logOf();
  return {
    prepared: (text) => print(safe`${text}\n`, stream),
    opened: nothing,
    logOf,
    planned: nothing,
    fileIssue: (issue) => logOfFiles({ event: "issue", key: "hub", issue }),
    fileFixed: ({ object }) => write(["fixed", "green", displayName(object)]),
    firstRoundDone: (summary, hints) => {
      print(safe`${summary}`, stream);
      for (const hint of hints) print(safe`${hint}\n`, stream);
    },
    ending: nothing,
    end: nothing,
    clear: nothing,
  };
}
