import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/** Plans what ClusterGroupUpgrades pre-cache, and where, from their policies and overrides; writes it to their status. */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
