import { defineReaction } from "#shared/runtime/reaction.ts";
import { decide } from "./decide.ts";
import { precachePlanInterest } from "./interest.ts";
import { observe } from "./observe.ts";

/** ClusterGroupUpgrades with their policies and overrides → what is pre-cached where, in their status. */
export const precachePlan = defineReaction({ ...precachePlanInterest, observe, decide });
