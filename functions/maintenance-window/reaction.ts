import { defineReaction } from "#shared/runtime/reaction.ts";
import { decide } from "./decide.ts";
import { maintenanceWindowInterest } from "./interest.ts";
import { observe } from "./observe.ts";

/** The clock → the state of every MaintenanceWindow, and hints for the clusters that it concerns. */
export const maintenanceWindow = defineReaction({ ...maintenanceWindowInterest, observe, decide });
