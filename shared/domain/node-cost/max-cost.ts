import { annotationIssue, type Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Cost, costs } from "./cost.ts";

/** Set by users on a MachineConfigPool: a change that costs the pool's nodes more than this waits. */
export const maxCostAnnotation = "hubrelay.dev/max-cost";

/** The limit of a pool; `maxCost` is undefined when the pool has none. */
export type MaxCost = Readonly<{ maxCost: Cost | undefined; issues: readonly Issue[] }>;

/**
 * Reads a pool's limit. An invalid value is read as `none`, so that no change touches a node, and is reported: the
 * user wanted to hold changes back, and a typing error must not drain the pool.
 */
export function maxCostOf(pool: KubernetesObject): MaxCost {
  const value = pool.metadata.annotations?.[maxCostAnnotation];
  if (value === undefined) return { maxCost: undefined, issues: [] };
  const maxCost = costs.find((cost) => cost === value);
  if (maxCost) return { maxCost, issues: [] };
  const issue = annotationIssue(pool, maxCostAnnotation, {
    code: "InvalidMaxCost",
    message: `${JSON.stringify(value)} is not a cost; until it is fixed, only changes that cost nothing are written`,
    remedy: `Write one of ${costs.join(", ")}, or remove the annotation to allow every change.`,
  });
  return { maxCost: "none", issues: [issue] };
}
