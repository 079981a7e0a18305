import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheClusterWatches } from "./watches.ts";

/** A planned cluster → its slot, and the ManifestWork that pre-caches it. */
export const precacheCluster = defineController({
  ...precacheClusterWatches,
  observe,
  decide,
  isAbout: ({ reference }, object) =>
    isKind(kinds.ManifestWork, object) && object.metadata.namespace === reference.cluster,
});
