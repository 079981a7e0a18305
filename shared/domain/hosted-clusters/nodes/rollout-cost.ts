import { byCodeUnit, fieldsOf, isRecord, someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type Cost, type CostRule, highestCost } from "../../plan/cost.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { type NodePool, nodePoolsOf, type UpgradeType } from "./node-pool.ts";

type NodePoolCost = Readonly<{
  name: string;
  /** Null if the field is missing or invalid, which counts as `Replace`. */
  upgradeType: UpgradeType | null;
  nodes: number | null;
  cost: Cost;
}>;

function nodePoolCost({ name, nodes, autoScaling, upgradeType }: NodePool): NodePoolCost {
  // An autoscaled pool may get nodes at any time.
  const isEmpty = nodes === 0 && !autoScaling;
  const cost = isEmpty ? "none" : upgradeType === "InPlace" ? "drain" : "replace";
  return { name, upgradeType, nodes, cost };
}

function nodePoolText({ name, nodes }: NodePoolCost): string {
  if (nodes === null) return sentence`${name} (number of nodes unknown)`;
  return sentence`${name} (${nodes === 1 ? "1 node" : `${nodes} nodes`})`;
}

/** The cost of a rollout for the nodes of a hosted cluster, and the rule that decides it. */
export type RolloutCost = Readonly<{ cost: Cost; rule: CostRule; nodePools: readonly NodePoolCost[] }>;

function isBeingInstalled({ object: { status } }: HostedCluster): boolean {
  const { history } = fieldsOf(fieldsOf(status).version);
  return (
    Array.isArray(history) &&
    history.length > 0 &&
    history.every((entry) => isRecord(entry) && entry.state !== "Completed")
  );
}

/** Reports whether Karpenter provisions nodes, which belong to no NodePool. */
function hasKarpenter({ object: { spec } }: HostedCluster): boolean {
  const autoNode = fieldsOf(spec).autoNode;
  return isRecord(autoNode) && isRecord(autoNode.provisionerConfig);
}

/** The maximum number of names in a text: more names do not fit into an Event. */
const maxNames = 10;

function namesOf(nodePools: readonly NodePoolCost[]): string {
  const names = someOf(nodePools.map(nodePoolText), maxNames);
  return sentence`${nodePools.length === 1 ? "NodePool" : "NodePools"} ${names}`;
}

function ruleText(nodePools: readonly NodePoolCost[], isKarpenter: boolean): string {
  const withCost = (cost: Cost) => nodePools.filter((nodePool) => nodePool.cost === cost);
  const [replaced, drained] = [withCost("replace"), withCost("drain")];
  const unreadable = replaced.filter(({ upgradeType }) => upgradeType === null);
  return [
    replaced.length > 0 && sentence`HyperShift replaces every node of ${namesOf(replaced)}.`,
    drained.length > 0 && sentence`HyperShift drains every node of ${namesOf(drained)}.`,
    isKarpenter && "Karpenter replaces the nodes that it provisioned (spec.autoNode).",
    unreadable.length > 0 &&
      sentence`The upgrade type of ${namesOf(unreadable)} is neither Replace nor InPlace and counts as Replace.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Returns the cost when HyperShift rolls out a cluster's NodePools: those in `names`, by default all. */
export function rolloutCost(
  cluster: HostedCluster,
  nodePools: readonly KubernetesObject[],
  names?: ReadonlySet<string>,
): RolloutCost {
  const costs = nodePoolsOf(cluster, nodePools)
    .filter(({ name }) => names?.has(name) ?? true)
    .map(nodePoolCost)
    .sort((a, b) => byCodeUnit(a.name, b.name));
  if (isBeingInstalled(cluster)) {
    const text = "The hosted cluster is being installed, and its nodes with it.";
    return {
      cost: "none",
      rule: { code: "not-installed", text },
      nodePools: costs.map((nodePool) => ({ ...nodePool, cost: "none" })),
    };
  }
  const isKarpenter = !names && hasKarpenter(cluster);
  const cost = highestCost([
    ...costs.map((nodePool) => nodePool.cost),
    ...(isKarpenter ? ["replace" as const] : []),
  ]);
  if (cost === "none") {
    const text = `The hosted cluster has no ${costs.length === 0 ? "NodePools" : "nodes"}, so the change costs no node anything.`;
    return { cost, rule: { code: "no-hosted-nodes", text }, nodePools: costs };
  }
  const code = cost === "drain" ? "hosted-nodes-drained" : "hosted-nodes-replaced";
  return { cost, rule: { code, text: ruleText(costs, isKarpenter) }, nodePools: costs };
}
