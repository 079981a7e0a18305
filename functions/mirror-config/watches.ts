import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Watches } from "#shared/runtime/controller.ts";

/** The kinds that the files of a node are made from and that have `status.conditions`. */
export const conditionKinds = [
  kinds.ClusterImagePolicy,
  kinds.ImagePolicy,
  kinds.ImageSourceDigestPolicy,
  kinds.ImageSourceTagPolicy,
  kinds.OperatorImageSourceDigestPolicy,
  kinds.OperatorImageSourceTagPolicy,
] as const;

/** The kinds whose rules and policies become the files of a node. Those that a hub does not serve are empty. */
export const mirrorKinds = [
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
  ...conditionKinds,
] as const;

/** What the configuration is made from, and what decides when it may be written. */
const sourceKinds = [
  ...mirrorKinds,
  kinds.Image,
  kinds.ClusterVersion,
  kinds.MachineConfigPool,
  kinds.MachineConfiguration,
  kinds.Infrastructure,
  // The status of one changes when it opens: then a change that waits for it is written.
  kinds.MaintenanceWindow,
];

/**
 * Every object that takes part leads to the one key, for all of them are merged into the same files. Of the
 * MachineConfigs only the generated ones count: a hub holds hundreds.
 */
function mapToKey(reference: ObjectReference): string | undefined {
  if (sourceKinds.some((kind) => isKind(kind, reference))) return "cluster";
  const generated =
    isKind(kinds.MachineConfig, reference) && /^99-.+-generated-registries$/.test(reference.name);
  return generated ? "cluster" : undefined;
}

/** What wakes the function, apart from what it then does: the resync tick needs this alone. */
export const mirrorConfigWatches: Watches = {
  name: "mirror-config",
  queue: "mirror-configs",
  kinds: [...sourceKinds, kinds.MachineConfig],
  required: [kinds.Image, kinds.ClusterVersion, kinds.MachineConfigPool, kinds.MachineConfig],
  mapToKey,
};
