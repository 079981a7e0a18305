import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/**
 * Triggered only by hints about single clusters: from planning, and from precache-status when a slot is free, a run
 * has to be removed, or something was lost. The hints of one ClusterGroupUpgrade are handled together, so that their
 * shared objects are read once.
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
