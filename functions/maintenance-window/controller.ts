import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { maintenanceWindowWatches } from "./watches.ts";

/** Clock → the status of every MaintenanceWindow, and a message for the upgrades that it affects. */
export const maintenanceWindow = defineController({ ...maintenanceWindowWatches, observe, decide });
