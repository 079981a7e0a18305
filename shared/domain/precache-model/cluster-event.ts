import { kinds, type ObjectReference } from "../kubernetes/object.ts";
import { type HubCloudEvent, hubEvent } from "../plan/hub-event.ts";

/** The queue of the function precache-status, which decides which of an upgrade's clusters pre-cache now. */
export const feedbackQueue = "precache-feedback";

/** The queue of the function precache-cluster, which creates, suspends and removes the ManifestWork of a cluster. */
export const clusterQueue = "precache-clusters";

type NamespacedName = Readonly<{ namespace: string; name: string }>;

/** Returns a reference to one cluster of a ClusterGroupUpgrade. */
export function clusterReference(cgu: NamespacedName, cluster: string): ObjectReference {
  const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
  return { apiVersion, kind, ...cgu, cluster };
}

/** Returns the event that requests a reconcile of one cluster of a ClusterGroupUpgrade. */
export function clusterEvent(
  cgu: NamespacedName,
  cluster: string,
  { source }: Readonly<{ source: string }>,
): HubCloudEvent {
  return hubEvent("update", clusterReference(cgu, cluster), { source });
}
