import type { KubernetesObject } from "../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../precache-model/conditions.ts";
import type { PlannedCluster } from "../precache-model/precache-plan.ts";
import {
  type Contender,
  contender,
  stateIn,
  waitingReason,
  waitsFor,
} from "../precache-start/start-obstacle.ts";
import type { PlanResult } from "./plan-draft.ts";
import type { PlanInput, PlanOptions } from "./plan-input.ts";
import { planPrecache } from "./plan-precache.ts";

const contenderOf = (cgu: KubernetesObject, cluster: string): Contender =>
  contender(cgu, stateIn(cgu, cluster));

/** Reports whether pre-caching of an upgrade is over: its rollout has started or ended, or it is being deleted. */
export function isOver({ metadata, status }: KubernetesObject): boolean {
  const conditions = storedConditions(status);
  return (
    ("deletionTimestamp" in metadata && Boolean(metadata.deletionTimestamp)) ||
    storedCondition(conditions, conditionTypes.succeeded) !== undefined ||
    storedCondition(conditions, conditionTypes.progressing)?.status === "True"
  );
}

/**
 * Returns the plans of several ClusterGroupUpgrades. A cluster in several plans waits in all of them but one. TALM
 * has no such order: its runs delete each other's objects.
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
