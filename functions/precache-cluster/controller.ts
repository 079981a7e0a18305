import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheClusterWatches } from "./watches.ts";

/** The record of a cluster → the ManifestWork that pre-caches it. */
export const precacheCluster = defineController({ ...precacheClusterWatches, observe, decide });
