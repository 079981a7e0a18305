import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precacheReadyWatches } from "./watches.ts";

/** Checks whether mirrors have every image of ClusterGroupUpgrades, and writes the result to ReadinessReports. */
export const precacheReady = defineController({ ...precacheReadyWatches, observe, decide });
