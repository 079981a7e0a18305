import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { maintenanceWindowWatches } from "./watches.ts";

/** The controller that writes the status of MaintenanceWindows, and triggers the upgrades that a window affects. */
export const maintenanceWindow = defineController({ ...maintenanceWindowWatches, observe, decide });
