import type { Issue } from "#shared/domain/issues/issue.ts";
import { byCodeUnit, ownValue, someOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { Decision, Plan } from "#shared/domain/plan/plan.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import type { Change, ScreenState } from "./screen.ts";

/** The functions whose decisions are shown. The table of the fleet shows what the other functions do. */
const shownFunctions: ReadonlySet<string> = new Set(["mirror-config", "hosted-clusters"]);
/** Functions whose plan for a key has all issues about that key. If an issue is not in the next plan, it is fixed. */
const wholeKeys: ReadonlySet<string> = new Set([
  "mirror-config",
  "hosted-clusters",
  "precache-plan",
  "maintenance-window",
  "files",
]);
const maxChanges = 50;
const colours: Readonly<Record<string, Change["colour"]>> = {
  create: "green",
  update: "green",
  held: "yellow",
  refused: "red",
};

type News = Omit<Change, "at" | "details"> & Partial<Pick<Change, "details">>;

function newsOf(entry: LogEntry): News | undefined {
  switch (entry.event) {
    case "dead-lettered":
      return { what: "message", verdict: "dead letter", colour: "red", reason: entry.reason };
    case "failed":
      return { what: entry.key, verdict: "failed", colour: "red", reason: entry.error };
    default:
      return undefined;
  }
}

function decided(what: string, decisions: readonly Decision[]): readonly News[] {
  const alike = Map.groupBy(decisions, ({ subject: _, ...decision }) => JSON.stringify(decision));
  return [...alike.values()].flatMap((some) => {
    const subjects = someOf(some.map(({ subject }) => subject));
    return some.slice(0, 1).map(({ verdict, reason, differences: details = [] }) => {
      const colour = ownValue(colours, verdict) ?? "cyan";
      return { what, verdict: `${subjects}: ${verdict}`, colour, reason, details };
    });
  });
}

type Work = { isBusy: boolean; received: Set<string> };

const whereOf = ({ object, path }: Issue) => [displayName(object), path].filter(Boolean).join(" ");
const byText = (issues: readonly Issue[]) =>
  new Map(issues.map((issue) => [`${whereOf(issue)}\n${issue.message}`, issue]));

/** Returns the file that contains the object with this name, such as `ImageDigestMirrorSet/team`. */
export type FileOf = (subject: string) => string | undefined;

/** Collects from logs and plans what `hubrelay dev` shows: changes on the hub, and current problems. */
export function devState(
  now: () => Date,
  listeners: Readonly<{ onChange?(change: Change): void; onIssue?(issue: Issue): void }> = {},
) {
  let fileOf: FileOf = () => undefined;
  const functions = new Map<string, Work>();
  /** The last decisions as JSON. Keys are `FUNCTION SUBJECT`. */
  const decisions = new Map<string, string>();
  const issues = new Map<string, readonly Issue[]>();
  const openWindows = new Set<string>();
  /** The received events, as `FUNCTION ID`. An event can be the cause of a change only when it is first received. */
  const known = new Set<string>();
  const changes: Change[] = [];

  function of(name: string): Work {
    const own = functions.get(name) ?? { isBusy: false, received: new Set() };
    functions.set(name, own);
    return own;
  }

  function add({ details = [], ...change }: News, isKept = true): void {
    const next = { at: now(), details, ...change };
    const isRepeated = isKept && JSON.stringify({ ...changes.at(-1), at: next.at }) === JSON.stringify(next);
    if (isKept) changes.splice(isRepeated ? -1 : changes.length, 1, next);
    if (changes.length > maxChanges) changes.shift();
    if (!isRepeated) listeners.onChange?.(next);
  }

  function takeCause({ received }: Work): string {
    const files = [...new Set([...received].map((subject) => fileOf(subject) ?? subject))];
    received.clear();
    return files.length > 1 ? `${files.length} files` : files.join("");
  }

  function addDecisions(name: string, plan: Plan): void {
    const fresh = plan.decisions.filter(({ subject, ...decision }) => {
      const text = JSON.stringify(decision);
      const isNew = decisions.get(`${name} ${subject}`) !== text;
      decisions.set(`${name} ${subject}`, text);
      return isNew;
    });
    const { true: same = [], false: changed = [] } = Object.groupBy(fresh, ({ verdict }) =>
      String(verdict === "unchanged"),
    );
    for (const one of decided("", same)) add(one, false);
    const what = changed.length > 0 ? takeCause(of(name)) : "";
    for (const one of decided(what, changed)) add(one, shownFunctions.has(name));
  }

  function addWindows({ decisions: windows }: Plan): void {
    for (const { subject, verdict } of windows) {
      const isOpen = verdict === "open";
      if (isOpen === openWindows.has(subject)) continue;
      if (!isOpen) openWindows.delete(subject);
      else openWindows.add(subject);
      const changed = `maintenance window ${isOpen ? "opened" : "closed"}`;
      add({
        what: subject.replace("MaintenanceWindow/", ""),
        verdict: changed,
        colour: "magenta",
        reason: "",
      });
    }
  }

  return {
    opened(found: FileOf): void {
      fileOf = found;
    },
    log(name: string, entry: LogEntry): void {
      const own = of(name);
      if (entry.event === "event-received") {
        own.isBusy = true;
        const event = `${name} ${entry.eventId}`;
        if (!known.has(event)) own.received.add(entry.subject);
        known.add(event);
      }
      if (entry.event === "handled") {
        own.isBusy = false;
        own.received.clear();
      }
      const found = newsOf(entry);
      if (found) add(found);
    },
    /** Records the decisions and issues of a function's plan, or errors in files under the name `files`. */
    planned(name: string, key: string, plan: Plan): void {
      addDecisions(name, plan);
      if (name === "maintenance-window") addWindows(plan);
      const before = byText([...issues.values()].flat());
      issues.set(`${name}\n${key}`, plan.issues);
      const after = byText([...issues.values()].flat());
      for (const [text, issue] of after) if (!before.has(text)) listeners.onIssue?.(issue);
      for (const [text, issue] of before) {
        if (after.has(text) || issue.severity !== "error" || !wholeKeys.has(name)) continue;
        const what = fileOf(displayName(issue.object)) ?? "";
        add({ what, verdict: "fixed", colour: "green", reason: whereOf(issue) });
      }
    },
    state(): Pick<ScreenState, "activity" | "problems" | "changes"> {
      const busy = [...functions].flatMap(([name, { isBusy }]) => (isBusy ? [name] : []));
      const lasting = [...issues].flatMap(([key, some]) =>
        wholeKeys.has(key.split("\n")[0] ?? "") ? some : [],
      );
      return {
        activity: busy.length > 0 ? `running ${busy.sort().join(", ")}` : "idle",
        problems: [...byText(lasting).values()].sort((a, b) => byCodeUnit(a.severity, b.severity)),
        changes,
      };
    },
  };
}
