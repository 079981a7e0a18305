import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { mirrorConfigWatches } from "./watches.ts";

/** Renders the hub's mirrors and registry sources into a MachineConfig for every built-in pool. */
export const mirrorConfig = defineController({
  ...mirrorConfigWatches,
  observe,
  decide,
});
