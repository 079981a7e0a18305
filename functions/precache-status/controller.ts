import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheStatusWatches } from "./watches.ts";

/** The controller that decides which clusters of a ClusterGroupUpgrade pre-cache now, and writes their progress. */
export const precacheStatus = defineController({ ...precacheStatusWatches, observe, decide });
