import type { Issue } from "#shared/domain/issues/issue.ts";
import { ownValue } from "#shared/domain/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { Decision, Plan } from "#shared/domain/plan/plan.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { placeText } from "../io/issue-text.ts";
import type { Change, Problem, ScreenState } from "./screen.ts";
import type { ViewedHub } from "./viewed-hub.ts";

/** The functions whose decisions are shown; the work of the others is in the fleet's table. */
const shownFunctions: ReadonlySet<string> = new Set(["mirror-config", "hosted-clusters"]);
/** Functions that reconcile all of a key at once: an issue that is not in their plan is gone. */
const wholeKeys: ReadonlySet<string> = new Set([...shownFunctions, "precache-plan", "maintenance-window"]);
const maxChanges = 50;
const lastGood = "still serving the last good configuration";

/** What one function has done so far. */
type OfFunction = {
  isBusy: boolean;
  /** Ids of all events seen: a message that was sent again says nothing new. */
  seen: Set<string>;
  /** Subjects of new events since the last plan. */
  subjects: Set<string>;
  /** Subjects by event, of events that the forwarder has sent and the function has not received yet. */
  sent: Map<string, string>;
  /** The last decision about each subject. */
  decisions: Map<string, string>;
  /** The issues of each key. */
  issues: Map<string, ReadonlyMap<string, Problem>>;
};

const newFunction = (): OfFunction => ({
  isBusy: false,
  seen: new Set(),
  subjects: new Set(),
  sent: new Map(),
  decisions: new Map(),
  issues: new Map(),
});

const colours: Readonly<Record<string, Change["colour"]>> = {
  create: "green",
  update: "green",
  held: "yellow",
  refused: "red",
};

/** Returns what happened in one line and its reason; undefined for what only a log needs. */
function noteOf(entry: LogEntry): Omit<Change, "at" | "details"> | undefined {
  switch (entry.event) {
    case "dead-lettered":
      return { what: "message", verdict: "dead letter", colour: "red", reason: entry.reason };
    case "failed":
      return { what: entry.key, verdict: "failed", colour: "red", reason: entry.error };
    default:
      return undefined;
  }
}

function consequenceOf({ severity, object }: Issue, { decisions }: Plan): string {
  if (severity !== "error") return "";
  if (decisions.some(({ verdict }) => verdict === "refused")) return lastGood;
  return object.kind.endsWith("MirrorSet") || object.kind.endsWith("Policy")
    ? "left out, the rest is in use"
    : "";
}

function problemOf(issue: Issue, consequence: string): Problem {
  const { severity, object, path, message, remedy } = issue;
  const where = [displayName(object), path].filter(Boolean).join(" ");
  const place = placeText(issue).replace(/: $/, "");
  return { severity, place, where, message, remedy, consequence };
}
const textOfProblem = ({ where, message }: Problem) => `${where}\n${message}`;
const byText = (problems: readonly Problem[]): ReadonlyMap<string, Problem> =>
  new Map(problems.map((problem) => [textOfProblem(problem), problem]));

const textOf = ({ verdict, reason, differences = [] }: Decision) =>
  JSON.stringify([verdict, reason, differences]);

/** An event that arrives shows that those before it have arrived, or were replaced by newer ones. */
function noteArrival(sent: Map<string, string>, id: string): void {
  if (!sent.has(id)) return;
  for (const earlier of sent.keys()) {
    sent.delete(earlier);
    if (earlier === id) return;
  }
}

/** Takes an event. One that was sent again says nothing new. */
function noteReceived(own: OfFunction, entry: Extract<LogEntry, { event: "event-received" }>): void {
  own.isBusy = true;
  const id = entry.eventId ?? `${entry.subject} ${entry.type}`;
  if (!own.seen.has(id)) own.subjects.add(entry.subject);
  own.seen.add(id);
  noteArrival(own.sent, id);
}

function noteHandled(own: OfFunction): void {
  own.isBusy = false;
  own.subjects.clear();
}

/**
 * Names the files of the objects that have changed since the last cause was taken, also of those whose events are under
 * way: the plan was made from what the hub holds now.
 */
function takeCause({ subjects, sent }: OfFunction, fileOf: ViewedHub["fileOf"]): string {
  const changed = [...subjects, ...sent.values()];
  const files = [...new Set(changed.map((subject) => fileOf(subject) ?? subject))];
  subjects.clear();
  return files.length > 1 ? `${files.length} files` : files.join("");
}

/** Returns the decisions that differ from the last ones about their subjects, and remembers them. */
function changedDecisions({ decisions: last }: OfFunction, { decisions }: Plan): readonly Decision[] {
  const fresh = decisions.filter((decision) => last.get(decision.subject) !== textOf(decision));
  for (const decision of fresh) last.set(decision.subject, textOf(decision));
  return fresh.filter(({ verdict }) => verdict !== "unchanged");
}

type Decided = Omit<Change, "at" | "what">;

/** Returns one change for all pools with the same decision. */
function poolChanges(decisions: readonly Decision[]): readonly Decided[] {
  return [...Map.groupBy(decisions, textOf).values()].flatMap(([first, ...others]): readonly Decided[] =>
    first
      ? [
          {
            verdict: `${[first, ...others].map(({ subject }) => subject).join(", ")}: ${first.verdict}`,
            colour: ownValue(colours, first.verdict) ?? "cyan",
            reason: first.reason,
            details: first.differences ?? [],
          },
        ]
      : [],
  );
}

/** Returns one change for all decisions about a key. */
function keyChange(key: string, decisions: readonly Decision[]): Decided {
  return {
    verdict: [...new Set(decisions.map(({ verdict }) => verdict))].join(", "),
    colour: "cyan",
    reason: "",
    details: decisions.flatMap(({ subject, reason, differences = [] }) => [
      `${subject.replace(`${key} `, "")}: ${reason}`,
      ...differences,
    ]),
  };
}

/** Returns each problem once, errors first. */
function distinctProblems(found: readonly ReadonlyMap<string, Problem>[]): readonly Problem[] {
  const distinct = new Map(found.flatMap((problems) => [...problems]));
  return [...distinct.values()].toSorted(
    (a, b) => Number(a.severity !== "error") - Number(b.severity !== "error"),
  );
}

function activityOf(functions: ReadonlyMap<string, OfFunction>): string {
  const busy = [...functions].flatMap(([name, { isBusy }]) => (isBusy ? [name] : []));
  return busy.length > 0 ? `running ${busy.sort().join(", ")}` : "idle";
}

/** Keeps the last changes; one that is repeated counts once, at its last time. */
function recentChanges(now: () => Date) {
  const changes: Change[] = [];
  function add(change: Omit<Change, "at">): void {
    const last = changes.at(-1);
    const isRepeated =
      last?.what === change.what &&
      last.verdict === change.verdict &&
      last.reason === change.reason &&
      last.details.join("\n") === change.details.join("\n");
    if (isRepeated) changes.pop();
    changes.push({ at: now(), ...change });
    if (changes.length > maxChanges) changes.shift();
  }
  return { changes, add };
}

/** Collects from logs and plans what the screen of `hubrelay dev` shows. */
export function devState({
  fileOf,
  readerOf,
  now,
}: Pick<ViewedHub, "fileOf" | "readerOf"> & Readonly<{ now(): Date }>) {
  const functions = new Map<string, OfFunction>();
  const ofFiles = new Map<string, Problem>();
  const { changes, add } = recentChanges(now);

  function addFixed(where: string): void {
    const [object = ""] = where.split(" ");
    add({ what: fileOf(object) ?? "", verdict: "fixed", colour: "green", reason: where, details: [] });
  }

  function of(name: string): OfFunction {
    const known = functions.get(name) ?? newFunction();
    functions.set(name, known);
    return known;
  }

  function noteDecisions(name: string, key: string, plan: Plan): void {
    const own = of(name);
    const changed = changedDecisions(own, plan);
    if (changed.length === 0) return;
    const what = takeCause(own, fileOf);
    const decided = name === "mirror-config" ? poolChanges(changed) : [keyChange(key, changed)];
    for (const change of decided) add({ what, ...change });
  }

  function noteIssues(name: string, key: string, plan: Plan): void {
    const { issues } = of(name);
    const before = issues.get(key) ?? new Map();
    issues.set(key, byText(plan.issues.map((issue) => problemOf(issue, consequenceOf(issue, plan)))));
    const remaining = new Set(problems().map(textOfProblem));
    for (const [text, { severity, where }] of before)
      if (severity === "error" && !remaining.has(text)) addFixed(where);
  }

  function noteWindows({ decisions }: Plan): void {
    const { decisions: last } = of("maintenance-window");
    for (const { subject, verdict } of decisions) {
      const isOpen = verdict === "open";
      const hasChanged = isOpen !== (last.get(subject) === "open");
      last.set(subject, verdict);
      const what = subject.replace("MaintenanceWindow/", "");
      const changed = `maintenance window ${isOpen ? "opened" : "closed"}`;
      if (hasChanged) add({ what, verdict: changed, colour: "magenta", reason: "", details: [] });
    }
  }

  function problems(): readonly Problem[] {
    const found = [...functions.values()].flatMap(({ issues }) => [...issues.values()]);
    return distinctProblems([ofFiles, ...found]);
  }

  return {
    /** Takes what the log of a function gets. */
    log(name: string, entry: LogEntry): void {
      const own = of(name);
      if (entry.event === "noticed" && entry.correlationId)
        for (const queue of entry.queues) {
          const reader = readerOf(queue);
          if (reader) of(reader).sent.set(entry.correlationId, entry.subject);
        }
      if (entry.event === "event-received") noteReceived(own, entry);
      if (entry.event === "handled") noteHandled(own);
      const note = noteOf(entry);
      if (note) add({ ...note, details: [] });
    },
    /** Takes each plan of a function. */
    plan(name: string, key: string, plan: Plan): void {
      if (shownFunctions.has(name)) noteDecisions(name, key, plan);
      if (name === "maintenance-window") noteWindows(plan);
      if (wholeKeys.has(name)) noteIssues(name, key, plan);
    },
    /** Takes an issue of the files themselves. */
    fileIssue(issue: Issue): void {
      const problem = problemOf(issue, lastGood);
      ofFiles.set(textOfProblem(problem), problem);
    },
    fileFixed(issue: Issue): void {
      const problem = problemOf(issue, lastGood);
      ofFiles.delete(textOfProblem(problem));
      addFixed(problem.where);
    },
    /** Returns what the screen shows now. */
    state(): Pick<ScreenState, "activity" | "problems" | "changes"> {
      return { activity: activityOf(functions), problems: problems(), changes };
    },
  };
}
