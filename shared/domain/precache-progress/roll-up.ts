import type { Condition } from "../kubernetes/conditions.ts";
import { ownValue } from "../kubernetes/json/values.ts";
import { isFinalState } from "../precache-model/cluster-state.ts";

/** The number of planned, succeeded and failed clusters of a ClusterGroupUpgrade. */
export type Tally = Readonly<{ all: number; succeeded: number; failed: number }>;

/** Counts the planned clusters by their state in the upgrade's `status.precaching.status`. */
export function tallyOf(planned: readonly string[], states: Readonly<Record<string, string>>): Tally {
  const succeeded = planned.filter((cluster) => ownValue(states, cluster) === "Succeeded").length;
  const ended = planned.filter((cluster) => isFinalState(ownValue(states, cluster))).length;
  return { all: planned.length, succeeded, failed: ended - succeeded };
}

/**
 * Returns the condition `PrecachingSuceeded` (the API's spelling). Clusters that have not started count as in
 * progress, while TALM counts them as failed.
 */
export function precachingSucceeded({ all, succeeded, failed }: Tally): Condition {
  const type = "PrecachingSuceeded";
  if (succeeded === all)
    return {
      type,
      status: "True",
      reason: "PrecachingCompleted",
      message: "Precaching is completed for all clusters",
    };
  if (failed === all)
    return { type, status: "False", reason: "Failed", message: "Precaching failed for all clusters" };
  if (succeeded + failed === all)
    return {
      type,
      status: "True",
      reason: "PartiallyDone",
      message: `Precaching failed for ${failed} clusters`,
    };
  return {
    type,
    status: "False",
    reason: "InProgress",
    message: `Precaching in progress for ${all - succeeded - failed} clusters`,
  };
}
