import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { mirrorConfigWatches } from "./watches.ts";

/** The controller that renders the hub's mirrors and registry sources to a MachineConfig for every built-in pool. */
export const mirrorConfig = defineController({
  ...mirrorConfigWatches,
  observe,
  decide,
});
