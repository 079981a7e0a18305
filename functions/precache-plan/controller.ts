import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/**
 * Plans the content and the clusters to pre-cache, from ClusterGroupUpgrades with their policies and overrides, and
 * writes both to the status.
 */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
