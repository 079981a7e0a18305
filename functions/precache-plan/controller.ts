import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { precachePlanWatches } from "./watches.ts";

/** The controller that plans what a ClusterGroupUpgrade pre-caches, and on which clusters. */
export const precachePlan = defineController({ ...precachePlanWatches, observe, decide });
