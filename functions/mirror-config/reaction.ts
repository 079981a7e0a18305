import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { defineReaction } from "#shared/shell/reaction.ts";
import { decide, keyOf, sourceKinds } from "./decide.ts";
import { observe } from "./observe.ts";

/** Mirror objects, registry sources and the release → the registries MachineConfig of every built-in pool. */
export const mirrorConfig = defineReaction({
  name: "mirror-config",
  queue: "mirror-configs",
  kinds: [...sourceKinds, kinds.MachineConfig],
  keyOf,
  observe,
  decide,
});
