import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/** ClusterGroupUpgrades with their policies and overrides → the content and clusters to pre-cache, in their status. */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
