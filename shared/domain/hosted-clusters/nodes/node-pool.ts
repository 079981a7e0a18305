import { sentence } from "../../credentials/redact.ts";
import { fieldsOf, isRecord } from "../../json/values.ts";
import { type KubernetesObject, namespaceOf } from "../../kubernetes/object.ts";
import type { Cost } from "../../node-cost/cost.ts";

/** What a rollout of new content does to the nodes of one NodePool of HyperShift. */
export type NodePoolCost = Readonly<{
  name: string;
  /** Null when it cannot be read: its nodes then count as replaced. */
  upgradeType: "Replace" | "InPlace" | null;
  /** The number of nodes, null when unknown. */
  nodes: number | null;
  cost: Cost;
}>;

/** Returns the NodePools of a hosted cluster, which are in its namespace. */
export function nodePoolsOf(
  cluster: Readonly<{ namespace: string; name: string }>,
  nodePools: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  return nodePools.filter(
    (nodePool) =>
      isRecord(nodePool.spec) &&
      nodePool.spec.clusterName === cluster.name &&
      namespaceOf(nodePool) === cluster.namespace,
  );
}

/** Without `replicas` and `autoScaling` HyperShift keeps no node. An autoscaled pool reports its number. */
function nodesOf(
  spec: Readonly<Record<string, unknown>>,
  status: Readonly<Record<string, unknown>>,
): number | null {
  const { replicas = 0, autoScaling } = spec;
  const found = isRecord(autoScaling) ? status.replicas : replicas;
  return typeof found === "number" ? found : null;
}

/** Returns what a rollout does to the nodes of a NodePool: `Replace` deletes them, `InPlace` drains them. */
export function nodePoolCost({ metadata, spec, status }: KubernetesObject): NodePoolCost {
  const fields = fieldsOf(spec);
  const { upgradeType: given } = fieldsOf(fields.management);
  const upgradeType = given === "Replace" || given === "InPlace" ? given : null;
  const nodes = nodesOf(fields, fieldsOf(status));
  // An autoscaled pool may get nodes at any time.
  const isEmpty = nodes === 0 && !isRecord(fields.autoScaling);
  const cost = isEmpty ? "none" : upgradeType === "InPlace" ? "drain" : "replace";
  return { name: metadata.name, upgradeType, nodes, cost };
}

/** Returns a NodePool with its number of nodes, e.g. `blue (3 nodes)`. */
export function nodePoolText({ name, nodes }: NodePoolCost): string {
  if (nodes === null) return sentence`${name} (number of nodes unknown)`;
  return sentence`${name} (${nodes === 1 ? "1 node" : `${nodes} nodes`})`;
}
