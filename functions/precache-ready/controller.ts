import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheReadyWatches } from "./watches.ts";

/** The controller that checks whether mirrors have every image of ClusterGroupUpgrades, and writes ReadinessReports. */
export const precacheReady = defineController({ ...precacheReadyWatches, observe, decide });
