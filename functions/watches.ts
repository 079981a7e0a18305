// By `npm run generate`, from functions/*/manifest.ts.
import type { Watches } from "#shared/runtime/controller.ts";
import { hostedClustersWatches } from "./hosted-clusters/watches.ts";
import { maintenanceWindowWatches } from "./maintenance-window/watches.ts";
import { mirrorConfigWatches } from "./mirror-config/watches.ts";
import { precachePlanWatches } from "./precache-plan/watches.ts";
import { precacheReadyWatches } from "./precache-ready/watches.ts";
import { precacheStatusWatches } from "./precache-status/watches.ts";

/**
 * The watches of the functions in `controllers.ts`, without the functions themselves: what the forwarder and the
 * resync tick serve. Functions that are triggered only by other functions are not included.
 */
export const allWatches: readonly Watches[] = [
  hostedClustersWatches,
  maintenanceWindowWatches,
  mirrorConfigWatches,
  precachePlanWatches,
  precacheReadyWatches,
  precacheStatusWatches,
];
