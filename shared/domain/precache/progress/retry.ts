import { isFinalState } from "../model/cluster-state.ts";

/**
 * On a ClusterGroupUpgrade: the clusters to retry, `failed` or their names separated by commas. It is removed when
 * the retries have started.
 */
export const retryAnnotation = "hubrelay.dev/retry";

/**
 * True when the cluster is to be retried: it has ended, and it is named or has failed. A running one is skipped, so a
 * repeated request has no effect.
 */
export function isRetried(
  cluster: string,
  state: string | undefined,
  requested: ReadonlySet<string>,
): boolean {
  if (!isFinalState(state)) return false;
  return requested.has(cluster) || (requested.has("failed") && state !== "Succeeded");
}
