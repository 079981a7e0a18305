import { sentence } from "../../credentials/redact.ts";
import { byCodeUnit, fieldsOf, isRecord, listOf, ownValue } from "../../json/values.ts";
import type { Condition } from "../../kubernetes/conditions.ts";
import { type KubernetesObject, namespaceOf } from "../../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../model/conditions.ts";
import { condition } from "./plan-conditions.ts";

/** The labels of the Placements with which TALM's main branch rolls out a ClusterGroupUpgrade. */
export function placementLabels(cgu: KubernetesObject): Readonly<Record<string, string>> {
  return {
    "openshift-cluster-group-upgrades/clusterGroupUpgrade": cgu.metadata.name,
    "openshift-cluster-group-upgrades/clusterGroupUpgradeNamespace": namespaceOf(cgu),
  };
}

/** The namespaces of the policies that TALM rolls out, in its order. */
function policyNamespaces({ status }: KubernetesObject): readonly unknown[] {
  const policies = listOf(fieldsOf(status).managedPoliciesForUpgrade);
  return [...new Set(policies.map((policy) => isRecord(policy) && policy.namespace))];
}

/**
 * Returns the condition that TALM's main branch sets while a rollout runs whose Placement cannot select clusters, because
 * its namespace is bound to no set of clusters. Undefined for other upgrades: then another condition stays as it is.
 */
export function waitingForPlacement(
  cgu: KubernetesObject,
  placements: readonly KubernetesObject[],
): Condition | undefined {
  const stored = storedConditions(cgu.status);
  const isRunning = storedCondition(stored, conditionTypes.progressing)?.status === "True";
  if (!isRunning || storedCondition(stored, conditionTypes.succeeded)) return undefined;
  const labels = Object.entries(placementLabels(cgu));
  const own = placements
    .filter(({ metadata }) => labels.every(([name, value]) => ownValue(metadata.labels, name) === value))
    .sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
  for (const namespace of policyNamespaces(cgu))
    for (const { metadata, status } of own) {
      if (metadata.namespace !== namespace) continue;
      const {
        status: satisfied,
        reason,
        message,
      } = storedCondition(storedConditions(status), "PlacementSatisfied") ?? {};
      if (satisfied === "False" && reason === "NoManagedClusterSetBindings")
        return condition(
          conditionTypes.progressing,
          "True",
          "WaitingForPlacement",
          sentence`Placement ${JSON.stringify(metadata.name)} in namespace ${JSON.stringify(namespace)} cannot select clusters: ${String(message ?? "")}. Create a ManagedClusterSetBinding for the "default" ManagedClusterSet in the policy namespace.`,
        );
    }
  return undefined;
}
