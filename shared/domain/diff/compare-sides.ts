import type { Issue } from "../issues/issue.ts";
import { byCodeUnit, fieldsOf, withoutRepeats } from "../kubernetes/json/values.ts";
import { isKind, type Kind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { builtInPool } from "../openshift/machine-config/machine-config.ts";
import type { NodeFile } from "../openshift/machine-config/node-file.ts";
import { clusterReleases } from "../openshift/releases/cluster-releases.ts";
import { type Cost, type CostRule, highestCost, maxCostOf } from "../plan/cost.ts";
import type { CostWindow } from "../windows/cost-window.ts";
import { type Calendar, permissionFor } from "../windows/held-change.ts";
import { type HostedClusterCost, hostedClusterCosts } from "./hosted-cluster-cost.ts";
import { hostedPolicies } from "./hosted-policies.ts";
import { type ChangeCost, type ChangeInput, costOfChange, topologyOf } from "./node-cost/cost-of-change.ts";
import { isDrainOverride, isInImageMode } from "./node-cost/disruption-policy.ts";
import { byCostThenName, type Change } from "./node-cost/registries-change.ts";
import { type PolicyChange, pullChanges } from "./policy-change.ts";

/** The cost of a change for the nodes of one pool, and whether the change must wait. */
export type PoolCost = Readonly<{
  name: string;
  cost: Cost;
  actions: readonly string[];
  rule: CostRule;
  paused: boolean;
  /** The maximum number of nodes that change at the same time, or a percentage such as `10%`. */
  maxUnavailable: number | string;
  /** `status.machineCount` of the pool; null if it is missing. */
  machineCount: number | null;
  /** The value of `hubrelay.dev/max-cost`: the highest cost allowed outside maintenance windows. Null if absent. */
  maxCost: Cost | null;
  /** True if hubrelay must not write the change yet: it costs more than `maxCost`, and no open window allows that. */
  waits: boolean;
  /** The open or next maintenance window that allows the change; null if no window does, or if none is needed. */
  window: CostWindow | null;
}>;

/** Returns a change's cost for one pool. `issues` are errors in the annotation `hubrelay.dev/max-cost`. */
export function costForPool(
  pool: KubernetesObject,
  { cost, actions, rule }: ChangeCost,
  calendar: Calendar,
): Readonly<{ pool: PoolCost; issues: readonly Issue[] }> {
  const spec = fieldsOf(pool.spec);
  const status = fieldsOf(pool.status);
  const { maxUnavailable } = spec;
  const { maxCost, issues } = maxCostOf(pool);
  const { isHeld, window } = permissionFor(pool, cost, calendar);
  return {
    pool: {
      name: pool.metadata.name,
      cost,
      actions,
      rule,
      paused: spec.paused === true,
      maxUnavailable:
        typeof maxUnavailable === "number" || typeof maxUnavailable === "string" ? maxUnavailable : 1,
      machineCount: typeof status.machineCount === "number" ? status.machineCount : null,
      maxCost: maxCost ?? null,
      waits: isHeld,
      window: window ?? null,
    },
    issues,
  };
}

/** One of the two configurations that are compared. */
export type Side = Readonly<{
  filesOf: (pool: string) => readonly NodeFile[];
  objects: readonly KubernetesObject[];
}>;

/** A change, with the names of the pools whose nodes it affects. */
export type PoolChange = Change & Readonly<{ pools: readonly string[] }>;

/** The changes between two sides, and their cost. */
export type CostReport = Readonly<{
  cost: Cost;
  /** The highest cost first. A change that several pools share appears once. */
  changes: readonly PoolChange[];
  /** Sorted by name. If neither side has MachineConfigPools: `master` and `worker`. */
  pools: readonly PoolCost[];
  /** Changes of signature policies and blocked registries: first those of pools, then those of hosted clusters. */
  policies: readonly PolicyChange[];
  /** Sorted by namespace and name. Only hosted clusters whose nodes HyperShift replaces or updates. */
  hostedClusters: readonly HostedClusterCost[];
}>;

function named(name: string, kind: Kind, ...sides: readonly Side[]): KubernetesObject | undefined {
  return sides
    .flatMap(({ objects }) => objects)
    .find((object) => isKind(kind, object) && object.metadata.name === name);
}

function firstOf(kind: Kind, ...sides: readonly Side[]): readonly KubernetesObject[] {
  const found = sides.map(({ objects }) => objects.filter((object) => isKind(kind, object)));
  return found.find(({ length }) => length > 0) ?? [];
}

function poolsOf(...sides: readonly Side[]): readonly KubernetesObject[] {
  const found = firstOf(kinds.MachineConfigPool, ...sides);
  const pools = found.length > 0 ? found : [builtInPool("master"), builtInPool("worker")];
  return [...pools].sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
}

function changesOf(
  judged: readonly Readonly<{ change: Readonly<{ changes: readonly Change[] }>; pool: PoolCost }>[],
): readonly PoolChange[] {
  const all = judged.flatMap(({ change, pool }) => change.changes.map((one) => ({ one, pool: pool.name })));
  return [...Map.groupBy(all, ({ one }) => JSON.stringify(one)).values()]
    .flatMap((same) => same.slice(0, 1).map(({ one }) => ({ ...one, pools: same.map(({ pool }) => pool) })))
    .sort(byCostThenName);
}

/**
 * Returns the differences of two configurations, and their cost for the nodes of every pool and hosted cluster. Pools,
 * node disruption policies, topology, release and maintenance windows come from `after`, or from `before` if `after`
 * lacks them. `version`, if given, replaces the version in the ClusterVersion.
 */
export function compareSides(
  before: Side,
  after: Side,
  now: Date,
  version?: string,
): Readonly<{ report: CostReport; issues: readonly Issue[]; hostedPolicies: readonly PolicyChange[] }> {
  const releases = clusterReleases(named("version", kinds.ClusterVersion, after, before), version);
  const objects = [...after.objects, ...before.objects];
  const machineConfiguration = named("cluster", kinds.MachineConfiguration, after, before);
  const topology = topologyOf(named("cluster", kinds.Infrastructure, after, before));
  const circumstances: Partial<ChangeInput> = {
    ...(machineConfiguration ? { machineConfiguration } : {}),
    ...(topology ? { topology } : {}),
    releases,
    hasDrainOverride: objects.some(isDrainOverride),
  };
  const windows = firstOf(kinds.MaintenanceWindow, after, before);
  const judged = poolsOf(after, before).map((pool) => {
    const { name } = pool.metadata;
    const files = { before: before.filesOf(name), after: after.filesOf(name) };
    const isImageMode = isInImageMode(name, objects);
    const change = costOfChange({ ...files, ...circumstances, isImageMode });
    return {
      change,
      policies: pullChanges(files.before, files.after),
      ...costForPool(pool, change, { windows, now }),
    };
  });
  const hostedClusters = hostedClusterCosts(before.objects, after.objects);
  const ofHosted = hostedPolicies(before.objects, after.objects);
  return {
    report: {
      cost: highestCost([...judged.map(({ change }) => change), ...hostedClusters].map(({ cost }) => cost)),
      changes: changesOf(judged),
      policies: [...withoutRepeats(judged.flatMap(({ policies }) => policies)), ...ofHosted],
      pools: judged.map(({ pool }) => pool),
      hostedClusters,
    },
    issues: judged.flatMap(({ issues }) => issues),
    hostedPolicies: ofHosted,
  };
}
