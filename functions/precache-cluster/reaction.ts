import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { defineReaction } from "#shared/runtime/reaction.ts";
import { decide } from "./decide.ts";
import { precacheClusterInterest } from "./interest.ts";
import { observe } from "./observe.ts";

/** A planned cluster → its place among the others, and the ManifestWork that pre-caches it. */
export const precacheCluster = defineReaction({
  ...precacheClusterInterest,
  observe,
  decide,
  isAbout: ({ reference }, object) =>
    isKind(kinds.ManifestWork, object) && object.metadata.namespace === reference.cluster,
});
