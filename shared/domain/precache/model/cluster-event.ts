import { type HubCloudEvent, hubEvent } from "../../events/hub-event.ts";
import { apiPath, kinds } from "../../kubernetes/kinds.ts";
import type { ObjectReference } from "../../kubernetes/object.ts";

/** The queue of the function that starts and suspends the Jobs of single clusters. */
export const clusterQueue = "precache-clusters";

/**
 * Returns the hint to reconcile one cluster of a ClusterGroupUpgrade. Its data is the reference to the
 * ClusterGroupUpgrade with the cluster's name; its subject, for people, the path of the ManagedCluster. Less than 1
 * KB unless names are extremely long.
 */
export function clusterEvent(
  cgu: ObjectReference,
  cluster: string,
  { source }: Readonly<{ source: string }>,
): HubCloudEvent {
  const event = hubEvent("update", { ...cgu, cluster }, { source });
  return {
    ...event,
    subject: apiPath(kinds.ManagedCluster, { name: cluster }),
    id: `${event.id}/${cluster}`,
  };
}
