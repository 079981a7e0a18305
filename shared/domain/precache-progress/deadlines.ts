import { timestamp } from "../kubernetes/object.ts";
import { isChecking } from "../precache-model/check-record.ts";
import { type ClusterRecord, isNotApplied } from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../precache-model/cluster-state.ts";
import { sentence } from "../text/redact.ts";

/** The longest time in seconds that a reachable agent needs to apply a new ManifestWork. */
const reachSeconds = 90;
/** The longest time in seconds from the end of a Job until the hub shows that it has ended. */
const reportSeconds = 120;

const secondsSince = (text: string, now: Date): number => (now.getTime() - Date.parse(text)) / 1000;

/**
 * Returns the record with the effects of timeouts; the same object if none has passed. A cluster with an unreachable agent
 * releases its slot once its Job is suspended, and continues when the agent is reachable again. A run ends at its deadline
 * even if it was running in its last report: that report may be old.
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

/** Returns when `recordInTime` may next change the record; undefined if it never will. */
export function nextDeadline(record: ClusterRecord, timeoutMinutes: number): Date | undefined {
  const { state, reason, started } = record;
  if (isFinalState(state) || started === undefined) return undefined;
  const seconds =
    reason === "WaitsForAgent"
      ? Math.min(reachSeconds, timeoutMinutes * 60)
      : timeoutMinutes * 60 + (isNotApplied(record) ? 0 : reportSeconds);
  return new Date(Date.parse(started) + seconds * 1000);
}

/** Limits for the time between two list requests for an upgrade's ManifestWorks, in seconds. */
const refreshSeconds = { min: 5, max: 60 } as const;
/** The seconds between two list requests are at least the number of running clusters divided by this number. */
const clustersPerSecond = 50;

/**
 * Returns when to list the ManifestWorks of running clusters next; undefined if no cluster runs. The lists show new states
 * and counters; the ends of runs arrive as events. The time between lists grows while nothing changes. `isChanging` is true
 * if clusters start, stop or continue now.
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

/** Seconds after which a message that asks to change a cluster's ManifestWork counts as lost. */
export const unansweredSeconds = 30;
