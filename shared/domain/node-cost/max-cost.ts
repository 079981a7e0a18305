import { sentence } from "../credentials/redact.ts";
import { annotationIssue, type Issue } from "../issues/issue.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { type Cost, costs } from "./cost.ts";

/** Set by users on a MachineConfigPool or HostedCluster: a change that costs its nodes more than this waits. */
export const maxCostAnnotation = "hubrelay.dev/max-cost";

/** The limit of a pool or hosted cluster; `maxCost` is undefined when the object has none. */
export type MaxCost = Readonly<{ maxCost: Cost | undefined; issues: readonly Issue[] }>;

/**
 * Reads an object's limit. An invalid value is read as `none`, so that no change touches a node, and is reported: the
 * user wanted to hold changes back, and a typing error must not drain the nodes.
 */
export function maxCostOf(object: KubernetesObject): MaxCost {
  const value = object.metadata.annotations?.[maxCostAnnotation];
  if (value === undefined) return { maxCost: undefined, issues: [] };
  const maxCost = costs.find((cost) => cost === value);
  if (maxCost) return { maxCost, issues: [] };
  const without = isKind(kinds.HostedCluster, object)
    ? "remove the annotation: every change that costs its nodes something then waits for a maintenance window."
    : "remove the annotation to allow every change.";
  const issue = annotationIssue(object, maxCostAnnotation, {
    code: "InvalidMaxCost",
    message: sentence`${JSON.stringify(value)} is not a cost; until it is fixed, only changes that cost nothing are written`,
    remedy: sentence`Write one of ${costs.join(", ")}, or ${without}`,
  });
  return { maxCost: "none", issues: [issue] };
}

/**
 * Returns what a change may cost an object's nodes at any time. Without the annotation a pool allows everything, as
 * under machine-config-operator, and a hosted cluster nothing: its nodes are replaced, and nobody expects that at noon.
 */
export function limitOf(object: KubernetesObject): Cost {
  return maxCostOf(object).maxCost ?? (isKind(kinds.HostedCluster, object) ? "none" : "replace");
}
