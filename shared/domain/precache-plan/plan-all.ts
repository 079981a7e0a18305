import { fieldsOf, ownValue } from "../kubernetes/json/values.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../precache-model/conditions.ts";
import type { PlannedCluster } from "../precache-model/precache-plan.ts";
import { type Contender, waitingReason, waitsFor } from "../precache-start/precedence.ts";
import type { PlanResult } from "./plan-draft.ts";
import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";

/** Sorts after every existing object: a manifest from a file is not created yet. */
const notCreated = "9999";

function stateOf({ status }: KubernetesObject, cluster: string): string | undefined {
  const states = fieldsOf(fieldsOf(status).precaching).status;
  const state = ownValue(fieldsOf(states), cluster);
  return typeof state === "string" ? state : undefined;
}

function contenderOf(cgu: KubernetesObject, cluster: string): Contender {
  return {
    namespace: namespaceOf(cgu),
    name: cgu.metadata.name,
    creationTimestamp: cgu.metadata.creationTimestamp ?? notCreated,
    state: stateOf(cgu, cluster),
  };
}

/** True when nothing more is pre-cached for it: its rollout has started or ended, or it is being deleted. */
export function isOver({ metadata, status }: KubernetesObject): boolean {
  const conditions = storedConditions(status);
  return (
    ("deletionTimestamp" in metadata && Boolean(metadata.deletionTimestamp)) ||
    storedCondition(conditions, conditionTypes.succeeded) !== undefined ||
    storedCondition(conditions, conditionTypes.progressing)?.status === "True"
  );
}

/**
 * Plans several ClusterGroupUpgrades. Of those that pre-cache the same cluster one goes first; the others wait there,
 * with the reason. TALM has no such order: its runs delete each other's objects.
 */
export function planAll(inputs: readonly PlanInput[], options: PlanOptions = {}): readonly PlanResult[] {
  const results = inputs.map((input) => ({ cgu: input.cgu, result: planPrecache(input, options) }));

  const contenders = new Map<string, Contender[]>();
  for (const { cgu, result } of results) {
    if (isOver(cgu)) continue;
    for (const { name, action } of result.plan.clusters) {
      if (action !== "precache") continue;
      contenders.set(name, [...(contenders.get(name) ?? []), contenderOf(cgu, name)]);
    }
  }
  const withPrecedence = (cgu: KubernetesObject, planned: PlannedCluster): PlannedCluster => {
    if (planned.action !== "precache") return planned;
    const first = waitsFor(contenderOf(cgu, planned.name), contenders.get(planned.name) ?? []);
    return first ? { ...planned, action: "wait", reason: waitingReason(first) } : planned;
  };
  return results.map(({ cgu, result }) => ({
    ...result,
    plan: { ...result.plan, clusters: result.plan.clusters.map((planned) => withPrecedence(cgu, planned)) },
  }));
}
