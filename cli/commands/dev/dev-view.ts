import type { Issue } from "#shared/domain/issues/issue.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { Log } from "#shared/ports/log.ts";
import type { SafeText } from "../../io/safe-text.ts";
import type { ViewedHub } from "../../screen/viewed-hub.ts";

/** Shows what `hubrelay dev` does: as lines of a log, or as a screen. */
export type DevView = Readonly<{
  /** `text` is a sentence about the folder; `watched` names it for a status line. */
  prepared(text: string, watched: string): void;
  opened(hub: ViewedHub): void;
  /** Returns the log of a function. */
  logOf(name: string): Log;
  planned(name: string, key: string, plan: Plan): void;
  fileFixed(issue: Issue): void;
  fileIssue(issue: Issue): void;
  /** Everything that existed at the start has been reconciled. */
  firstRoundDone(summary: SafeText, hints: readonly string[]): void;
  /** The process has been asked to end. */
  ending(): void;
  /** Shows the last state, and leaves the terminal as it was found. */
  end(): void;
  /** The same after an error: nothing of the view is left. */
  clear(): void;
}>;
