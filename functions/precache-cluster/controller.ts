import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheClusterWatches } from "./watches.ts";

/** The controller that creates, suspends and removes the ManifestWorks which pre-cache single clusters. */
export const precacheCluster = defineController({ ...precacheClusterWatches, observe, decide });
