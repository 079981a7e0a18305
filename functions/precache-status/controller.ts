import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheStatusWatches } from "./watches.ts";

/**
 * ManifestWorks, limits and windows → which clusters of a ClusterGroupUpgrade run; its status and its reports; and a
 * message for each cluster that has something to do.
 */
export const precacheStatus = defineController({ ...precacheStatusWatches, observe, decide });
