import type { Issue } from "#shared/domain/issues/issue.ts";
import { emptyPlan } from "#shared/domain/plan/plan.ts";
import type { Log, LogEntry } from "#shared/ports/log.ts";
import type { DevView } from "./dev-view.ts";

/** Notices when all objects that existed at the start have been reconciled, and collects distinct errors. */
export function trackFirstRound(view: Pick<DevView, "log" | "planned">) {
  const { promise: firstRound, resolve } = Promise.withResolvers<void>();
  const errors = new Set<string>();
  let outstanding = 0;
  let isSynced = false;

  const keyOf = (issue: Issue) => JSON.stringify(issue);
  function addError(issue: Issue): void {
    errors.add(keyOf(issue));
  }

  function note(entry: LogEntry): void {
    if (entry.event === "issue" && entry.issue.severity === "error") addError(entry.issue);
    if (entry.event === "synced") isSynced = true;
    if (entry.event === "forwarded") outstanding += entry.messages;
    if (entry.event === "replaced") outstanding += entry.messages - 1;
    if (entry.event === "reconciled") outstanding -= entry.messages;
    if (entry.event === "event-ignored" || entry.event === "dead-lettered") outstanding--;
    if (isSynced && outstanding <= 0) resolve();
  }

  return {
    errors,
    /** Resolves once: the hub is synced and every forwarded message is done. */
    firstRound,
    /** Returns the view's log of a function. */
    logOf(name: string): Log {
      return (entry) => {
        view.log(name, entry);
        note(entry);
      };
    },
    fileIssue(issue: Issue): void {
      addError(issue);
      view.planned("files", keyOf(issue), { ...emptyPlan, issues: [issue] });
    },
    fileFixed: (issue: Issue) => view.planned("files", keyOf(issue), emptyPlan),
  };
}
