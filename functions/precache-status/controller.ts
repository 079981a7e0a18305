import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheStatusWatches } from "./watches.ts";

/**
 * The controller that decides which clusters of a ClusterGroupUpgrade pre-cache now. It writes the status and the
 * reports of the upgrade, and sends a message for each cluster whose ManifestWork has to change.
 */
export const precacheStatus = defineController({ ...precacheStatusWatches, observe, decide });
