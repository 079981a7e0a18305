import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type CheckedRecord, isChecking } from "./cluster-check.ts";

/**
 * On a ClusterGroupUpgrade: the clusters to check, `all` or their names separated by commas. It is removed when the
 * checks have started.
 */
export const checkAnnotation = "hubrelay.dev/check";

/** Returns the clusters to check; undefined without the annotation. */
export function requestedChecks({ metadata }: KubernetesObject): ReadonlySet<string> | undefined {
  const text = metadata.annotations?.[checkAnnotation];
  return text === undefined
    ? undefined
    : new Set(text.split(",").flatMap((name) => (name.trim() ? [name.trim()] : [])));
}

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
