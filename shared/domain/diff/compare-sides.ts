import type { Issue } from "../issues/issue.ts";
import { byCodeUnit } from "../json/order.ts";
import { isRecord } from "../json/values.ts";
import { isKind, type Kind, kinds } from "../kubernetes/kinds.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { NodeFile } from "../machine-config/node-file.ts";
import { byCostThenName, type Change } from "../node-cost/change.ts";
import { type Cost, highestCost } from "../node-cost/cost.ts";
import { type ChangeCost, type ChangeInput, costOfChange } from "../node-cost/cost-of-change.ts";
import { costForPool, type PoolCost } from "./pool-cost.ts";

/** One side of a comparison: manifests, or files as they lie on a node. */
export type Side = Readonly<{
  /** What the MachineConfigs of a pool write. */
  filesOf: (pool: string) => readonly NodeFile[];
  /** The only paths that this side can say anything about; undefined when it stands for all of them. */
  paths: ReadonlySet<string> | undefined;
  /** Everything that was given: pools, node disruption policies and topology are found here. */
  objects: readonly KubernetesObject[];
}>;

/** What changes between two sides, and what it costs. */
export type CostReport = Readonly<{
  /** The dearest of all pools. */
  cost: Cost;
  /** The dearest first; one that several pools share is there once. */
  changes: readonly Change[];
  /** Sorted by name. `master` and `worker` when neither side has MachineConfigPools. */
  pools: readonly PoolCost[];
}>;

function isAny(kind: Kind): (object: KubernetesObject) => boolean {
  return (object) => isKind(kind, object);
}

function namedCluster(kind: Kind, ...sides: readonly Side[]): KubernetesObject | undefined {
  return sides
    .flatMap(({ objects }) => objects)
    .find((object) => isKind(kind, object) && object.metadata.name === "cluster");
}

function topologyOf(infrastructure: KubernetesObject | undefined): string | undefined {
  const status = infrastructure?.status;
  const topology = isRecord(status) ? status.controlPlaneTopology : undefined;
  return typeof topology === "string" ? topology : undefined;
}

const builtInPools = ["master", "worker"].map(
  (name): KubernetesObject => ({
    apiVersion: kinds.MachineConfigPool.apiVersion,
    kind: kinds.MachineConfigPool.kind,
    metadata: { name },
  }),
);

/** The objects of a kind of the first side that has any. */
function firstOf(kind: Kind, ...sides: readonly Side[]): readonly KubernetesObject[] {
  const found = sides.map(({ objects }) => objects.filter(isAny(kind)));
  return found.find(({ length }) => length > 0) ?? [];
}

/** The pools of the newer side; those of the older one, or the built-in ones, where it has none. */
function poolsOf(...sides: readonly Side[]): readonly KubernetesObject[] {
  const found = firstOf(kinds.MachineConfigPool, ...sides);
  const pools = found.length > 0 ? found : builtInPools;
  return [...pools].sort((a, b) => byCodeUnit(a.metadata.name, b.metadata.name));
}

/** The files that both sides can speak of. */
function comparable(side: Side, other: Side, pool: string): readonly NodeFile[] {
  return side.filesOf(pool).filter(({ path }) => other.paths?.has(path) ?? true);
}

function withoutRepeats(changes: readonly Change[]): readonly Change[] {
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}

/**
 * Compares two configurations: what changes, and what that costs the nodes of every pool. The node disruption
 * policies, the topology and the maintenance windows of `after` hold where it has them, else those of `before`;
 * `now` is when the change would be made.
 */
export function compareSides(
  before: Side,
  after: Side,
  now: Date,
): Readonly<{ report: CostReport; issues: readonly Issue[] }> {
  const machineConfiguration = namedCluster(kinds.MachineConfiguration, after, before);
  const topology = topologyOf(namedCluster(kinds.Infrastructure, after, before));
  const circumstances: Partial<ChangeInput> = {
    ...(machineConfiguration ? { machineConfiguration } : {}),
    ...(topology ? { topology } : {}),
  };
  const windows = firstOf(kinds.MaintenanceWindow, after, before);
  const changeFor = (pool: string): ChangeCost =>
    costOfChange({
      before: comparable(before, after, pool),
      after: comparable(after, before, pool),
      ...circumstances,
    });
  const judged = poolsOf(after, before).map((pool) => {
    const change = changeFor(pool.metadata.name);
    return { change, ...costForPool(pool, change, { windows, now }) };
  });
  return {
    report: {
      cost: highestCost(judged.map(({ change }) => change.cost)),
      changes: [...withoutRepeats(judged.flatMap(({ change }) => change.changes))].sort(byCostThenName),
      pools: judged.map(({ pool }) => pool),
    },
    issues: judged.flatMap(({ issues }) => issues),
  };
}
