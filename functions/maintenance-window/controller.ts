import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { maintenanceWindowWatches } from "./watches.ts";

/** Updates the status of every MaintenanceWindow, and requests a reconcile of the upgrades that the windows affect. */
export const maintenanceWindow = defineController({ ...maintenanceWindowWatches, observe, decide });
