import { type Issue, issueObject } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Cost, costs } from "./cost.ts";

/** A person sets it on a MachineConfigPool: a change that costs the pool's nodes more than this waits. */
export const maxCostAnnotation = "hubrelay.dev/max-cost";

/** What a pool allows; undefined when it sets no limit. */
export type MaxCost = Readonly<{ maxCost: Cost | undefined; issues: readonly Issue[] }>;

/**
 * Reads a pool's limit. A value that is none of the costs lets nothing through that touches a node (`none`) and
 * is told: somebody wanted to hold changes back, and a typing mistake must not drain the pool.
 */
export function maxCostOf(pool: KubernetesObject): MaxCost {
  const value = pool.metadata.annotations?.[maxCostAnnotation];
  if (value === undefined) return { maxCost: undefined, issues: [] };
  const maxCost = costs.find((cost) => cost === value);
  if (maxCost) return { maxCost, issues: [] };
  const issue: Issue = {
    code: "InvalidMaxCost",
    severity: "error",
    object: issueObject(pool),
    path: `metadata.annotations["${maxCostAnnotation}"]`,
    value,
    message: `${JSON.stringify(value)} is no cost; until it is one, only changes that cost nothing are written`,
    remedy: `Write one of ${costs.join(", ")}, or remove the annotation to allow every change.`,
  };
  return { maxCost: "none", issues: [issue] };
}
