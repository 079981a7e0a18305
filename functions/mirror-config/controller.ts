import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { mirrorConfigWatches } from "./watches.ts";

/** Renders mirrors and registry sources, for the hub's release, into a MachineConfig for every built-in pool. */
export const mirrorConfig = defineController({
  ...mirrorConfigWatches,
  observe,
  decide,
});
