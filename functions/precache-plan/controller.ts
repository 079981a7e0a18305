import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/**
 * Derives from policies and overrides what ClusterGroupUpgrades pre-cache, and where. Writes each plan to the status.
 */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
