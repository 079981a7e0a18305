import { drainOverride, imageModeKinds } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds, sourcePolicyKinds } from "#shared/domain/mirrors/input/rules.ts";
import { isMergedName } from "#shared/domain/openshift/machine-config/machine-config.ts";
import type { Watch, Watches } from "#shared/runtime/controller.ts";
import { servedBy } from "#shared/runtime/function-manifest.ts";
import { manifest } from "./manifest.ts";

/** The reporting component of this function's Kubernetes Events. */
export const eventComponent = "hubrelay-mirror-config";
export const eventLabels = { "hubrelay.dev/function": "mirror-config" } as const;

const policyKinds = [
  kinds.ClusterImagePolicy,
  kinds.ImagePolicy,
  kinds.ClusterImagePolicyV1alpha1,
  kinds.ImagePolicyV1alpha1,
] as const;

/** The kinds of objects whose `status.conditions` this function writes. */
export const conditionKinds = [...policyKinds, ...sourcePolicyKinds] as const;

/** The kinds whose rules and policies become files of nodes. A hub need not serve all these kinds. */
export const mirrorKinds = [...mirrorRuleKinds, ...policyKinds] as const;

/** The kinds that the configuration is rendered from, or that decide when the configuration may be written. */
export const inputKinds: readonly Kind[] = [
  ...mirrorKinds,
  kinds.Image,
  kinds.ClusterVersion,
  kinds.MachineConfigPool,
  kinds.MachineConfiguration,
  kinds.Infrastructure,
  // A window's status changes when the window opens. A change that waits for the window is then written.
  kinds.MaintenanceWindow,
];

const theKey = { name: "cluster" } as const;
const watch = (kind: Kind): Watch => ({ kind, mapToKeys: () => [theKey] });

/** The function's watches, in their own file because the forwarder and the resync tick need nothing else. */
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
    // A merged MachineConfig only repeats the files of other MachineConfigs, so it is not watched.
    { ...watch(kinds.MachineConfig), selector: { name: (name) => !isMergedName(name) } },
  ],
};
