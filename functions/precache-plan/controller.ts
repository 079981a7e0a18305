import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/** Derives what ClusterGroupUpgrades pre-cache, and where, from policies and overrides. Writes this to the status. */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
