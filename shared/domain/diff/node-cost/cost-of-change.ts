import { fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { NodeFile } from "../../openshift/machine-config/node-file.ts";
import { type ClusterReleases, clusterReleases } from "../../openshift/releases/cluster-releases.ts";
import { type Cost, type CostRule, highestCost } from "../../plan/cost.ts";
import { drainOverride, filePoliciesOf, releaseEffects, stepsOf } from "./disruption-policy.ts";
import { costOfFile } from "./file-cost.ts";
import { byCostThenName, type Change, compareFiles } from "./registries-change.ts";

export type ChangeInput = Readonly<{
  before: readonly NodeFile[];
  after: readonly NodeFile[];
  /** MachineConfiguration `cluster` of operator.openshift.io, which has the node disruption policies. */
  machineConfiguration?: KubernetesObject;
  /** `status.controlPlaneTopology` of Infrastructure `cluster`. Nodes are never drained if it is `SingleReplica`. */
  topology?: string;
  /** The cluster's current and coming releases; by default the newest release that hubrelay knows. */
  releases?: ClusterReleases;
  hasDrainOverride?: boolean;
  isImageMode?: boolean;
}>;

export type ChangeCost = Readonly<{
  cost: Cost;
  /** What each node does, in order, such as `drain`, `reboot` or `reload crio.service`. */
  actions: readonly string[];
  rule: CostRule;
  /** The highest cost first. */
  changes: readonly Change[];
}>;

/** Returns `status.controlPlaneTopology` of Infrastructure `cluster`; undefined if absent. */
export function topologyOf(infrastructure: KubernetesObject | undefined): string | undefined {
  const topology = fieldsOf(infrastructure?.status).controlPlaneTopology;
  return typeof topology === "string" ? topology : undefined;
}

const singleReplica: CostRule = {
  code: "single-replica",
  text: "A single-node control plane is never drained.",
};
const overridden: CostRule = {
  code: "drain-overridden",
  text: `ConfigMap ${drainOverride.name} skips the drain.`,
};
const noChange: CostRule = { code: "no-change", text: "No file changes." };

/**
 * Returns the cost for every node of a pool when its MachineConfig writes the files `after` instead of `before`.
 * Other changes in the same rendered configuration (units, kernel arguments, the OS image) add to the cost.
 * Behaviour: machine-config-daemon with node disruption policies (4.17 and later), except on a node's first boot.
 */
export function costOfChange({
  before,
  after,
  machineConfiguration,
  topology,
  releases = clusterReleases(undefined),
  hasDrainOverride = false,
  isImageMode = false,
}: ChangeInput): ChangeCost {
  const isSingleNode = topology === "SingleReplica";
  const effects = releaseEffects(releases);
  const isOverridden = hasDrainOverride && effects.readsDrainOverride;
  const circumstances = {
    policies: filePoliciesOf(machineConfiguration),
    isSingleNode,
    undrained: isSingleNode ? singleReplica : isOverridden ? overridden : undefined,
    rebootsAlways: isImageMode && effects.rebootsImageMode,
  };
  const files = compareFiles(before, after).map((file) => costOfFile(file, circumstances));
  const changes = files.flatMap((file) => file.changes).sort(byCostThenName);
  const cost = highestCost(changes.map((change) => change.cost));
  const actions = files.flatMap((file) => file.actions);
  return {
    cost,
    actions: stepsOf(cost, actions, isSingleNode),
    rule: changes[0]?.rule ?? noChange,
    changes,
  };
}
