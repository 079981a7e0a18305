/**
 * What a change asks of a node, from nothing to most: the file is written and nobody is told; services are
 * reloaded or restarted in place; the node is cordoned and its pods are evicted; it is drained and rebooted.
 */
export const costs = ["none", "reload", "drain", "reboot"] as const;

export type Cost = (typeof costs)[number];

/** How dear a cost is, 0 for `none`: for sorting and comparing. */
export function costRank(cost: Cost): number {
  return costs.indexOf(cost);
}

/** The dearest of all, `none` of no costs at all. */
export function highestCost(all: readonly Cost[]): Cost {
  return costs.findLast((cost) => all.includes(cost)) ?? "none";
}

/** True when a change that costs `cost` may not go ahead by itself where at most `maxCost` is allowed. */
export function exceeds(cost: Cost, maxCost: Cost): boolean {
  return costRank(cost) > costRank(maxCost);
}

/** Why something costs what it does: a code for machines that never changes, a sentence for people. */
export type CostRule = Readonly<{ code: string; text: string }>;
