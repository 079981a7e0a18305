import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheClusterWatches } from "./watches.ts";

/** Creates, suspends and removes the ManifestWorks that pre-cache single clusters, as the clusters' records require. */
export const precacheCluster = defineController({ ...precacheClusterWatches, observe, decide });
