import type { KubernetesObject } from "../kubernetes/object.ts";
import type { PlannedCluster } from "../precache-model/precache-plan.ts";
import type { UpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { sentence } from "../text/redact.ts";
import type { Draft } from "./plan-draft.ts";
import { complianceWith } from "./policies/managed-policies.ts";
import { isLeaving, notSingleNode } from "./selection/cluster-facts.ts";
import { leftToImageBasedUpgrade } from "./selection/image-based-upgrades.ts";

const leaving = "The ManagedCluster is being deleted.";
const gone = "The ManagedCluster no longer exists.";

/** True for a cluster that is left out because it is no longer managed, or is being deleted. */
export function isDetached({ reason }: PlannedCluster): boolean {
  return reason === leaving || reason === gone;
}

/** Returns the plan of a selected cluster that is no longer managed. */
export function detached(name: string): PlannedCluster {
  return { name, action: "leave out", reason: gone };
}

/** Orders as TALM does: canaries first, then the others as selected. */
function remediationOrder(names: readonly string[], { canaries }: UpgradeSpec): readonly string[] {
  return [...new Set([...canaries.filter((canary) => names.includes(canary)), ...names])];
}

/** Plans each selected cluster from the cluster itself and its policies only. */
export function planClusters(
  selected: readonly KubernetesObject[],
  present: readonly KubernetesObject[],
  { input, upgrade }: Pick<Draft, "input" | "upgrade">,
  hasUserImages: boolean,
): readonly PlannedCluster[] {
  const isManifestWork = upgrade.manifestWorkTemplates.length > 0;
  const compliances = present.map((policy) => ({ policy, complianceOf: complianceWith(policy) }));
  const otherUpgrade = leftToImageBasedUpgrade(input.imageBasedUpgrades);
  const planCluster = (cluster: KubernetesObject): PlannedCluster => {
    const { name } = cluster.metadata;
    const unfit = isLeaving(cluster)
      ? leaving
      : (notSingleNode(cluster, input.nodes.get(name)) ?? otherUpgrade(cluster));
    const leaveOut = (reason: string): PlannedCluster => ({ name, action: "leave out", reason });
    const precache = (reason: string): PlannedCluster => ({ name, action: "precache", reason });
    if (unfit) return leaveOut(unfit);
    const unmet = compliances.find(({ complianceOf }) => complianceOf(name) === "NonCompliant");
    if (unmet) return precache(sentence`It does not comply with policy ${unmet.policy.metadata.name}.`);
    if (isManifestWork && present.length === 0) return precache("It is part of a rollout of ManifestWorks.");
    if (hasUserImages) return precache("Its additional images are requested, regardless of the policies.");
    return leaveOut("It complies with every managed policy, or none is bound to it.");
  };
  const byName = new Map(selected.map((cluster) => [cluster.metadata.name, cluster]));
  return remediationOrder([...byName.keys()], upgrade).flatMap((name) => {
    const cluster = byName.get(name);
    return cluster ? [planCluster(cluster)] : [];
  });
}
