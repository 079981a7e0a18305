import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/** Plans what ClusterGroupUpgrades pre-cache, and where, from policies and overrides; writes plans to their status. */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
