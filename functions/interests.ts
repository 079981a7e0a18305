import type { Interest } from "#shared/runtime/reaction.ts";
import { hostedClustersInterest } from "./hosted-clusters/interest.ts";
import { maintenanceWindowInterest } from "./maintenance-window/interest.ts";
import { mirrorConfigInterest } from "./mirror-config/interest.ts";
import { precachePlanInterest } from "./precache-plan/interest.ts";
import { precacheStatusInterest } from "./precache-status/interest.ts";

/**
 * What of the hub wakes the functions of `reactions.ts`, without the functions themselves: what the forwarder and the
 * resync tick serve. Functions that only other functions wake are not among them.
 */
export const interests: readonly Interest[] = [
  mirrorConfigInterest,
  hostedClustersInterest,
  precachePlanInterest,
  precacheStatusInterest,
  maintenanceWindowInterest,
];
