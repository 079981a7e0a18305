import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { namespacedName } from "#shared/domain/kubernetes/object.ts";
import { clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/**
 * Triggered only by precache-status, with a message for each cluster that has something to do. Those of one
 * ClusterGroupUpgrade are handled together, so that their shared objects are read once.
 */
export const precacheClusterWatches: Watches = {
  name: "precache-cluster",
  queue: clusterQueue,
  timeoutSeconds: 60,
  batch: { size: 500, windowSeconds: 1 },
  watches: [
    {
      kind: kinds.ClusterGroupUpgrade,
      mapToKeys: (reference) =>
        reference.cluster ? [{ name: namespacedName(reference), part: reference.cluster }] : [],
    },
  ],
};
