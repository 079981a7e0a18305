import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheStatusWatches } from "./watches.ts";

/**
 * Decides which clusters of a ClusterGroupUpgrade pre-cache now, from ManifestWorks, limits and windows. Writes the
 * status and the reports of the upgrade, and sends a message for each cluster whose ManifestWork has to change.
 */
export const precacheStatus = defineController({ ...precacheStatusWatches, observe, decide });
