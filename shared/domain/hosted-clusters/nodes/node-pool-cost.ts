import { sentence } from "../../credentials/redact.ts";
import type { Cost } from "../../node-cost/cost.ts";
import type { NodePool, UpgradeType } from "./node-pool.ts";

/** What a rollout of new content does to the nodes of one NodePool of HyperShift. */
export type NodePoolCost = Readonly<{
  name: string;
  /** Null when it cannot be read: its nodes then count as replaced. */
  upgradeType: UpgradeType | null;
  /** The number of nodes, null when unknown. */
  nodes: number | null;
  cost: Cost;
}>;

/** Returns what a rollout does to the nodes of a NodePool: `Replace` deletes them, `InPlace` drains them. */
export function nodePoolCost({ name, nodes, autoScaling, upgradeType }: NodePool): NodePoolCost {
  // An autoscaled pool may get nodes at any time.
  const isEmpty = nodes === 0 && !autoScaling;
  const cost = isEmpty ? "none" : upgradeType === "InPlace" ? "drain" : "replace";
  return { name, upgradeType, nodes, cost };
}

/** Returns a NodePool with its number of nodes, e.g. `blue (3 nodes)`. */
export function nodePoolText({ name, nodes }: NodePoolCost): string {
  if (nodes === null) return sentence`${name} (number of nodes unknown)`;
  return sentence`${name} (${nodes === 1 ? "1 node" : `${nodes} nodes`})`;
}
