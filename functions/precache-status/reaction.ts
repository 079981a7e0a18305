import { defineReaction } from "#shared/shell/reaction.ts";
import { decide } from "./decide.ts";
import { precacheStatusInterest } from "./interest.ts";
import { observe } from "./observe.ts";

/** What agents report → the status of ClusterGroupUpgrades, their reports, and what single clusters need next. */
export const precacheStatus = defineReaction({ ...precacheStatusInterest, observe, decide });
