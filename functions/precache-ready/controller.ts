import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheReadyWatches } from "./watches.ts";

/** What ClusterGroupUpgrades pre-cache, and the hub's mirrors → whether every image is ready, in ReadinessReports. */
export const precacheReady = defineController({ ...precacheReadyWatches, observe, decide });
