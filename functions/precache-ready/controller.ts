import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheReadyWatches } from "./watches.ts";

/**
 * Checks whether every image of ClusterGroupUpgrades is ready on the hub's mirrors, and reports the result in
 * ReadinessReports.
 */
export const precacheReady = defineController({ ...precacheReadyWatches, observe, decide });
