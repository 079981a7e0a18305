import { defineReaction } from "#shared/runtime/reaction.ts";
import { decide } from "./decide.ts";
import { mirrorConfigInterest } from "./interest.ts";
import { observe } from "./observe.ts";

/** Mirror objects, registry sources and the release → the registries MachineConfig of every built-in pool. */
export const mirrorConfig = defineReaction({
  ...mirrorConfigInterest,
  observe,
  decide,
});
