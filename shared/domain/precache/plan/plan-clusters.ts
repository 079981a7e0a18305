import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { PlannedCluster } from "../precache-plan.ts";
import { isLeaving, notSingleNode } from "./cluster-facts.ts";
import { complianceWith } from "./managed-policies.ts";
import type { Draft } from "./plan-draft.ts";
import type { UpgradeSpec } from "./upgrade-spec.ts";

/** In TALM's order: canaries first, one by one, then the others as they are selected. */
function remediationOrder(names: readonly string[], { canaries }: UpgradeSpec): readonly string[] {
  return [...new Set([...canaries.filter((canary) => names.includes(canary)), ...names])];
}

/** What happens to each selected cluster, as far as the cluster itself and the policies decide that. */
export function planClusters(
  selected: readonly KubernetesObject[],
  present: readonly KubernetesObject[],
  { options, upgrade }: Pick<Draft, "options" | "upgrade">,
  isForUsers: boolean,
): readonly PlannedCluster[] {
  const isManifestWork = upgrade.manifestWorkTemplates.length > 0;
  const compliances = present.map((policy) => ({ policy, complianceOf: complianceWith(policy) }));
  const judge = (cluster: KubernetesObject): PlannedCluster => {
    const { name } = cluster.metadata;
    const unfit =
      options.compat === "talm"
        ? undefined
        : isLeaving(cluster)
          ? "The ManagedCluster is being deleted."
          : notSingleNode(cluster);
    if (unfit) return { name, action: "leave out", reason: unfit };
    const unmet = compliances.find(({ complianceOf }) => complianceOf(name) === "NonCompliant");
    if (unmet)
      return {
        name,
        action: "precache",
        reason: `It does not comply with policy ${unmet.policy.metadata.name}.`,
      };
    if (isManifestWork && present.length === 0)
      return { name, action: "precache", reason: "It is part of a rollout of ManifestWorks." };
    if (isForUsers && options.compat !== "talm")
      return {
        name,
        action: "precache",
        reason: "Its additional images are wanted, whatever the policies say.",
      };
    return {
      name,
      action: "leave out",
      reason: "It complies with every managed policy, or none is bound to it.",
    };
  };
  const byName = new Map(selected.map((cluster) => [cluster.metadata.name, cluster]));
  return remediationOrder([...byName.keys()], upgrade).flatMap((name) => {
    const cluster = byName.get(name);
    return cluster ? [judge(cluster)] : [];
  });
}
