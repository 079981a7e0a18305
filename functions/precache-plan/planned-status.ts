import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import { fieldsOf, isSameJson, isStringList, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import {
  conditionTypes,
  type StoredCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache-model/conditions.ts";
import type { PlannedCluster, PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { readStoredSpec, storedSpec } from "#shared/domain/precache-model/precaching-spec.ts";
import { specIncomplete } from "#shared/domain/precache-plan/plan-conditions.ts";
import { isDetached } from "#shared/domain/precache-plan/plan-precache.ts";

/** The new status of a ClusterGroupUpgrade, and whether it has new clusters or content to pre-cache. */
export type PlannedStatus = Readonly<{
  status: unknown;
  hasNewWork: boolean;
}>;

type Before = Readonly<{
  fields: Readonly<Record<string, unknown>>;
  precaching: Readonly<Record<string, unknown>>;
  clusters: readonly string[];
  states: Readonly<Record<string, unknown>>;
}>;

function readBefore({ status }: KubernetesObject): Before {
  const fields = fieldsOf(status);
  const precaching = fieldsOf(fields.precaching);
  return {
    fields,
    precaching,
    clusters: isStringList(precaching.clusters) ? precaching.clusters : [],
    states: fieldsOf(precaching.status),
  };
}

/** Where TALM runs, it writes the conditions about clusters and policies, and hubrelay only the one about content. */
function conditionsToWrite({ conditions }: PrecachePlan, isTalmSeen: boolean): readonly Condition[] {
  const own = conditions.filter(({ type }) => type !== conditionTypes.precachingSucceeded);
  if (!isTalmSeen) return own;
  const failed = own.find(({ status }) => status === "False");
  if (!failed) return own.filter(({ type }) => type === conditionTypes.precacheSpecValid);
  return [failed.type === conditionTypes.precacheSpecValid ? failed : specIncomplete(failed.message.trim())];
}

function withConditions(
  stored: readonly StoredCondition[],
  wanted: readonly Condition[],
  generation: number | undefined,
  now: Date,
): readonly StoredCondition[] {
  const types = new Set(wanted.map(({ type }) => type));
  const set = wanted.reduce<readonly StoredCondition[]>(
    (conditions, condition) => withUpgradeCondition(conditions, condition, now),
    stored,
  );
  return set.map((condition) =>
    types.has(String(condition.type)) && generation !== undefined
      ? { ...condition, observedGeneration: generation }
      : condition,
  );
}

/**
 * Started clusters stay while they are selected, so that a cluster that becomes compliant keeps its result. A cluster
 * detached during its run is removed, since it would keep its slot forever.
 */
function clustersOf({ clusters }: PrecachePlan, isValid: boolean, { clusters: before, states }: Before) {
  const started = new Set(before.filter((name) => ownValue(states, name) !== undefined));
  if (!isValid) return before.filter((name) => started.has(name));
  const stateOf = (name: string) => {
    const state = ownValue(states, name);
    return typeof state === "string" ? state : undefined;
  };
  const isLost = (cluster: PlannedCluster) => isDetached(cluster) && !isFinalState(stateOf(cluster.name));
  return clusters
    .filter((cluster) => cluster.action === "precache" || (started.has(cluster.name) && !isLost(cluster)))
    .map(({ name }) => name);
}

/** Returns the status of a ClusterGroupUpgrade for a plan. The states of clusters stay as they are. */
export function plannedStatus(
  cgu: KubernetesObject,
  plan: PrecachePlan,
  { isTalmSeen, isNewWorkload, now }: Readonly<{ isTalmSeen: boolean; isNewWorkload: boolean; now: Date }>,
): PlannedStatus {
  const before = readBefore(cgu);
  const conditions = conditionsToWrite(plan, isTalmSeen);
  const isValid = plan.conditions.some(
    ({ type, status }) => type === conditionTypes.precacheSpecValid && status === "True",
  );
  const clusters = clustersOf(plan, isValid, before);
  const isSameContent =
    !isNewWorkload && isSameJson(readStoredSpec(before.precaching.spec), isValid ? plan.spec : undefined);
  const isNewContent = isValid && !(isSameContent && before.clusters.length > 0);
  const hasNewWork = isValid && (isNewContent || clusters.some((name) => !before.clusters.includes(name)));

  const planned = withConditions(storedConditions(cgu.status), conditions, cgu.metadata.generation, now);
  const hasSpecCondition = conditions.some(({ type }) => type === conditionTypes.precacheSpecValid);
  const precaching = {
    ...before.precaching,
    spec: isValid ? storedSpec(plan.spec) : (before.precaching.spec ?? {}),
    clusters,
  };
  const isTouched = hasSpecCondition || before.fields.precaching !== undefined;
  return {
    status: { ...before.fields, conditions: planned, ...(isTouched ? { precaching } : {}) },
    hasNewWork,
  };
}
