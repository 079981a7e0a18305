import type { Watches } from "#shared/runtime/controller.ts";
import { hostedClustersWatches } from "./hosted-clusters/watches.ts";
import { maintenanceWindowWatches } from "./maintenance-window/watches.ts";
import { mirrorConfigWatches } from "./mirror-config/watches.ts";
import { precachePlanWatches } from "./precache-plan/watches.ts";
import { precacheStatusWatches } from "./precache-status/watches.ts";

/**
 * What of the hub wakes the functions of `controllers.ts`, without the functions themselves: what the forwarder and the
 * resync tick serve. Functions that only other functions wake are not among them.
 */
export const allWatches: readonly Watches[] = [
  mirrorConfigWatches,
  hostedClustersWatches,
  precachePlanWatches,
  precacheStatusWatches,
  maintenanceWindowWatches,
];
