import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/**
 * Woken by hints about single clusters alone: planning sends them, and following does when a place is free, a run has
 * to be removed, or something was lost. Those of one ClusterGroupUpgrade are handled together, so that what they
 * need is read once.
 */
export const precacheClusterWatches: Watches = {
  name: "precache-cluster",
  queue: clusterQueue,
  timeoutSeconds: 60,
  kinds: [],
  batch: { size: 500, windowSeconds: 1 },
  mapToKey: (reference) =>
    isKind(kinds.ClusterGroupUpgrade, reference) && reference.cluster
      ? `${reference.namespace ?? ""}/${reference.name}`
      : undefined,
};
