import { isSameJson } from "#shared/domain/json/same-json.ts";
import { isRecord, isStringList } from "#shared/domain/json/values.ts";
import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import {
  conditionTypes,
  type StoredCondition,
  storedCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache/model/conditions.ts";
import type { PlannedCluster, PrecachePlan } from "#shared/domain/precache/model/precache-plan.ts";
import { readStoredSpec, storedSpec } from "#shared/domain/precache/model/precaching-spec.ts";
import { isDetached } from "#shared/domain/precache/plan/plan-clusters.ts";
import { notDone, specIncomplete } from "#shared/domain/precache/plan/plan-conditions.ts";

/** The conditions that planning writes; the one about the pre-caching itself it only begins. */
export const planningConditions: ReadonlySet<string> = new Set([
  conditionTypes.clustersSelected,
  conditionTypes.validated,
  conditionTypes.precacheSpecValid,
]);

/** What planning writes into a status, and which clusters have to be looked at then. */
export type PlannedStatus = Readonly<{
  status: unknown;
  /** True when another content, or other clusters, are to be pre-cached than before. */
  isNews: boolean;
  /** The clusters that have not begun with what is planned. */
  waiting: readonly string[];
}>;

type Before = Readonly<{
  fields: Readonly<Record<string, unknown>>;
  precaching: Readonly<Record<string, unknown>>;
  clusters: readonly string[];
  states: Readonly<Record<string, unknown>>;
}>;

function readBefore({ status }: KubernetesObject): Before {
  const fields = isRecord(status) ? status : {};
  const precaching = isRecord(fields.precaching) ? fields.precaching : {};
  return {
    fields,
    precaching,
    clusters: isStringList(precaching.clusters) ? precaching.clusters : [],
    states: isRecord(precaching.status) ? precaching.status : {},
  };
}

/**
 * The conditions that are written. Beside TALM those about clusters and policies are TALM's: only what hubrelay finds
 * wrong there besides keeps the spec from being valid.
 */
function conditionsToWrite({ conditions }: PrecachePlan, isTalmSeen: boolean): readonly Condition[] {
  const own = conditions.filter(({ type }) => type !== conditionTypes.precachingSucceeded);
  if (!isTalmSeen) return own;
  const failed = own.find(({ status }) => status === "False");
  if (!failed) return own.filter(({ type }) => type === conditionTypes.precacheSpecValid);
  return [failed.type === conditionTypes.precacheSpecValid ? failed : specIncomplete(failed.message.trim())];
}

/** Sets the conditions and marks them with the generation that they are about. */
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
 * The clusters to pre-cache. Those that were begun stay as long as they are selected: that a cluster complies by now
 * must not take its result away. One that was detached in the middle has none, and would keep its place for ever. Without a valid plan what has begun goes on, and nothing else begins.
 */
function clustersOf({ clusters }: PrecachePlan, isValid: boolean, { clusters: before, states }: Before) {
  const begun = new Set(before.filter((name) => states[name] !== undefined));
  if (!isValid) return before.filter((name) => begun.has(name));
  const stateOf = (name: string) => (typeof states[name] === "string" ? states[name] : undefined);
  const isLost = (cluster: PlannedCluster) => isDetached(cluster) && !isFinalState(stateOf(cluster.name));
  return clusters
    .filter((cluster) => cluster.action === "precache" || (begun.has(cluster.name) && !isLost(cluster)))
    .map(({ name }) => name);
}

/** The states of planned clusters: one that has left the plan begins anew when it comes back. */
function statesOf(states: Readonly<Record<string, unknown>>, clusters: readonly string[]) {
  const planned = new Set(clusters);
  return Object.fromEntries(Object.entries(states).filter(([name]) => planned.has(name)));
}

/**
 * The status that tells a plan: conditions in TALM's order, what is pre-cached, and where. Another content begins anew
 * everywhere, so the states of the clusters, which are about the former content, go with it.
 */
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
  const isNews = isValid && (isNewContent || clusters.some((name) => !before.clusters.includes(name)));

  const planned = withConditions(storedConditions(cgu.status), conditions, cgu.metadata.generation, now);
  const progress = storedCondition(planned, conditionTypes.precachingSucceeded);
  const isEnded = progress === undefined || progress.reason !== notDone.reason;
  const begun =
    isNewContent || (isNews && isEnded) || (isValid && !progress)
      ? withUpgradeCondition(planned, notDone, now)
      : planned;
  const isTold = conditions.some(({ type }) => type === conditionTypes.precacheSpecValid);
  const { status: states, ...others } = before.precaching;
  const precaching = {
    ...others,
    spec: isValid ? storedSpec(plan.spec) : (before.precaching.spec ?? {}),
    clusters,
    ...(isRecord(states) && !isNewContent ? { status: statesOf(states, clusters) } : {}),
  };
  const isTouched = isTold || before.fields.precaching !== undefined;
  return {
    status: { ...before.fields, conditions: begun, ...(isTouched ? { precaching } : {}) },
    isNews,
    waiting: clusters.filter((name) => isNewContent || before.states[name] === undefined),
  };
}
