import { timestamp } from "../kubernetes/object.ts";
import { isChecking } from "../precache-model/check-record.ts";
import { type ClusterRecord, isNotApplied } from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../precache-model/cluster-state.ts";
import { sentence } from "../text/redact.ts";

/** A reachable agent applies a new ManifestWork within this time. */
const reachSeconds = 90;
/** The hub learns within this time that a Job has ended. */
const reportSeconds = 120;

const secondsSince = (text: string, now: Date): number => (now.getTime() - Date.parse(text)) / 1000;

/**
 * Returns the record with the effects of timeouts; the same object if no timeout has passed. A run ends at its
 * deadline even if it was running in its last report, which may be old.
 */
export function recordInTime(before: ClusterRecord, timeoutMinutes: number, now: Date): ClusterRecord {
  const { state, reason, started } = before;
  if (isFinalState(state) || started === undefined) return before;
  const reportable = isNotApplied(before) ? 0 : reportSeconds;
  const elapsed = secondsSince(started, now);
  const isLate = elapsed >= timeoutMinutes * 60 + reportable;
  const isUnreachable = reason === "WaitsForAgent" && elapsed >= reachSeconds;
  if (!isLate && !isUnreachable) return before;
  if (isLate) {
    const since = timestamp(now);
    if (reason === "NotApplied") return { ...before, state: "UnrecoverableError", since };
    const message = isNotApplied(before)
      ? `The cluster's agent was unreachable for ${timeoutMinutes} min.`
      : sentence`The cluster reported no end within ${timeoutMinutes} min. Its last report: ${before.message || reason}`;
    const why = isNotApplied(before) ? "ClusterNotReached" : "NoReport";
    return { ...before, state: "PrecacheTimeout", reason: why, message, since };
  }
  return {
    ...before,
    reason: "ClusterNotReached",
    message: "The cluster's agent is unreachable; the run starts when the cluster returns.",
  };
}

/** Returns the time at which `recordInTime` may next change the record; undefined if it never will. */
export function nextDeadline(record: ClusterRecord, timeoutMinutes: number): Date | undefined {
  const { state, reason, started } = record;
  if (isFinalState(state) || started === undefined) return undefined;
  const seconds =
    reason === "WaitsForAgent"
      ? Math.min(reachSeconds, timeoutMinutes * 60)
      : timeoutMinutes * 60 + (isNotApplied(record) ? 0 : reportSeconds);
  return new Date(Date.parse(started) + seconds * 1000);
}

const refreshSeconds = { min: 5, max: 60 } as const;
const clustersPerSecond = 50;

/**
 * Returns when to list ManifestWorks next; undefined if no cluster runs or is being checked. The time between lists
 * grows while nothing changes. `isChanging` is true if clusters start, stop or continue now.
 */
export function nextRefresh(
  records: Iterable<ClusterRecord>,
  now: Date,
  isChanging = false,
): Date | undefined {
  let running = 0;
  let lastChange = isChanging ? now.getTime() : Number.NEGATIVE_INFINITY;
  for (const record of records) {
    if (isRunningState(record.state) || isChecking(record)) running++;
    lastChange = Math.max(lastChange, Date.parse(record.since));
  }
  if (running === 0) return undefined;
  const quiet = (now.getTime() - lastChange) / 1000 / 4;
  const { min, max } = refreshSeconds;
  const seconds = Math.min(max, Math.max(min, running / clustersPerSecond, quiet));
  return new Date(now.getTime() + seconds * 1000);
}

/** After this many seconds without an effect, a message that asks to change a ManifestWork counts as lost. */
export const unansweredSeconds = 30;
