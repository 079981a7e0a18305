import { isFinalState } from "../model/cluster-state.ts";
import { type ClusterRecord, isEndedByHub } from "./cluster-record.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";

/** What a cluster's ManifestWork has to be: there with its Job running or suspended, gone, or whatever it is now. */
export type DesiredWork = "running" | "suspended" | "absent" | "any";

/** Returns what the record of a cluster requires of its ManifestWork. Runs that failed on the cluster are kept. */
export function desiredWork(
  record: ClusterRecord,
  { isOver, keepsObjects }: Pick<PlannedUpgrade, "isOver" | "keepsObjects">,
): DesiredWork {
  const { state, suspend } = record;
  if (isFinalState(state)) {
    const isDone = state === "Succeeded" || isEndedByHub(record) || (isOver && !keepsObjects);
    return isDone ? "absent" : "any";
  }
  if (isOver || (state === "NotStarted" && suspend === undefined)) return "any";
  return suspend ? "suspended" : "running";
}
