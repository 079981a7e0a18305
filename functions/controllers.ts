// By `npm run generate`, from functions/*/manifest.ts.
import type { Controller } from "#shared/runtime/controller.ts";
import { hostedClusters } from "./hosted-clusters/controller.ts";
import { maintenanceWindow } from "./maintenance-window/controller.ts";
import { mirrorConfig } from "./mirror-config/controller.ts";
import { precacheCluster } from "./precache-cluster/controller.ts";
import { precachePlan } from "./precache-plan/controller.ts";
import { precacheReady } from "./precache-ready/controller.ts";
import { precacheStatus } from "./precache-status/controller.ts";

/** All controllers: what the workers run, and `hubrelay verify` compares. */
export const controllers: readonly Controller[] = [
  hostedClusters,
  maintenanceWindow,
  mirrorConfig,
  precacheCluster,
  precachePlan,
  precacheReady,
  precacheStatus,
];
