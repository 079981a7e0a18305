import { defineController } from "#shared/runtime/controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { mirrorConfigWatches } from "./watches.ts";

/** Renders mirrors, registry sources and release into the registries MachineConfig of every built-in pool. */
export const mirrorConfig = defineController({
  ...mirrorConfigWatches,
  observe,
  decide,
});
