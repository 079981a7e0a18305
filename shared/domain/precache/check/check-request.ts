import { type CheckedRecord, isChecking } from "./cluster-check.ts";

/**
 * On a ClusterGroupUpgrade: the clusters to check, `all` or their names separated by commas. It is removed when the
 * checks have started.
 */
export const checkAnnotation = "hubrelay.dev/check";

/**
 * True when the cluster is to be checked: it has succeeded, and it is named. One that is being checked is skipped, so a
 * repeated request has no effect.
 */
export function isCheckRequested(
  cluster: string,
  record: CheckedRecord,
  requested: ReadonlySet<string>,
): boolean {
  if (record.state !== "Succeeded" || isChecking(record)) return false;
  return requested.has("all") || requested.has(cluster);
}
