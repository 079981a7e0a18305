import { drainOverride, imageModeKinds } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds, sourcePolicyKinds } from "#shared/domain/mirrors/input/rules.ts";
import { isMergedName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Watch, Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";

/** Component and labels by which this function finds its own Kubernetes Events. */
export const eventComponent = "hubrelay-mirror-config";
export const eventLabels = { "hubrelay.dev/function": "mirror-config" } as const;

const policyKinds = [
  kinds.ClusterImagePolicy,
  kinds.ImagePolicy,
  kinds.ClusterImagePolicyV1alpha1,
  kinds.ImagePolicyV1alpha1,
] as const;

/** The kinds that a node's files are rendered from and that have `status.conditions`. */
export const conditionKinds = [...policyKinds, ...sourcePolicyKinds] as const;

/** The kinds whose rules and policies become a node's files. A kind that a hub does not serve has no objects. */
export const mirrorKinds = [...mirrorRuleKinds, ...policyKinds] as const;

/** The kinds that the configuration is rendered from, or that decide when it may be written. */
export const inputKinds: readonly Kind[] = [
  ...mirrorKinds,
  kinds.Image,
  kinds.ClusterVersion,
  kinds.MachineConfigPool,
  kinds.MachineConfiguration,
  kinds.Infrastructure,
  // A window's status changes when the window opens; changes that wait for the window are then written.
  kinds.MaintenanceWindow,
];

/** All objects map to one key, because they are merged into the same files. */
const theKey = { name: "cluster" } as const;
const watch = (kind: Kind): Watch => ({ kind, mapToKeys: () => [theKey] });

/** The watches of the function, separate from its logic because the resync tick needs only them. */
export const mirrorConfigWatches: Watches = {
  ...servedBy(manifest),
  watches: [
    ...inputKinds.map(watch),
    ...imageModeKinds.map(watch),
    {
      kind: kinds.ConfigMap,
      selector: { name: drainOverride.name },
      mapToKeys: ({ namespace }) => (namespace === drainOverride.namespace ? [theKey] : []),
    },
    // All but the merged MachineConfigs may write files that configure image pulls.
    { ...watch(kinds.MachineConfig), selector: { name: (name) => !isMergedName(name) } },
  ],
};
