import type { Reaction } from "#shared/runtime/reaction.ts";
import { hostedClusters } from "./hosted-clusters/reaction.ts";
import { maintenanceWindow } from "./maintenance-window/reaction.ts";
import { mirrorConfig } from "./mirror-config/reaction.ts";
import { precacheCluster } from "./precache-cluster/reaction.ts";
import { precachePlan } from "./precache-plan/reaction.ts";
import { precacheStatus } from "./precache-status/reaction.ts";

/** Every function that reacts to changes on the hub: what the forwarder, the workers and the resync tick serve. */
export const reactions: readonly Reaction[] = [
  mirrorConfig,
  hostedClusters,
  precachePlan,
  precacheCluster,
  precacheStatus,
  maintenanceWindow,
];
