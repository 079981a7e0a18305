import {
  type HostedCluster,
  type ImageContentSource,
  readHostedCluster,
} from "../hosted-clusters/cluster/hosted-cluster.ts";
import {
  contentSourcesAnnotation,
  deriveContentSources,
  sourceDifferences,
} from "../hosted-clusters/content-sources.ts";
import { readHostedClusters } from "../hosted-clusters/given-clusters.ts";
import { type NodePool, nodePoolsByCluster, readNodePool } from "../hosted-clusters/nodes/node-pool.ts";
import { configMapsOf } from "../hosted-clusters/nodes/pool-config.ts";
import { type RolloutCost, rolloutCost } from "../hosted-clusters/nodes/rollout-cost.ts";
import {
  type ManagementMirrors,
  readManagementMirrors,
} from "../hosted-clusters/overrides/management-mirrors.ts";
import { isSameJson } from "../kubernetes/json/values.ts";
import {
  findStored,
  isKind,
  type KubernetesObject,
  kinds,
  namespacedName,
  namespaceOf,
} from "../kubernetes/object.ts";
import { mirrorRuleKinds } from "../mirrors/input/rules.ts";
import { type Cost, maxCostOf } from "../plan/cost.ts";
import { sentence } from "../text/redact.ts";
import type { CostWindow } from "../windows/cost-window.ts";
import { type Calendar, permissionFor } from "../windows/held-change.ts";
import { overrideCauses } from "./operator-overrides.ts";
import { clusterCauses, poolCauses, type RolloutCause } from "./rollout-causes.ts";

/** The cost of a change for the nodes of one hosted cluster, and the time of the change. */
export type HostedClusterCost = RolloutCost &
  Readonly<{
    namespace: string;
    name: string;
    /** The fields that change: of the HostedCluster, or those of a NodePool after its name. */
    fields: readonly string[];
    /** How they change: a sentence for each source of `spec.imageContentSources`, and for each other field. */
    differences: readonly string[];
    /** Its limit (`hubrelay.dev/max-cost`), null without one. */
    maxCost: Cost | null;
    /** hubrelay writes the field, and holds the change back: it costs more than is allowed and no window is open. */
    waits: boolean;
    /** The maintenance window that lets the change through or that it waits for; null when there is none. */
    window: CostWindow | null;
  }>;

type Objects = readonly KubernetesObject[];

const isDelegated = ({ annotations }: HostedCluster) => annotations[contentSourcesAnnotation] !== undefined;

/** Returns the sources that hubrelay writes, or those of the object if nobody delegated them or they are refused. */
function sourcesOf(cluster: HostedCluster, mirrors: ManagementMirrors): readonly ImageContentSource[] {
  return deriveContentSources(cluster, mirrors).sources ?? cluster.imageContentSources;
}

/** Returns the sources that nodes have: manifests leave out a field that hubrelay writes. */
function presentSources(cluster: HostedCluster, mirrors: ManagementMirrors): readonly ImageContentSource[] {
  const isWritten = cluster.imageContentSources.length > 0 || cluster.object.metadata.uid !== undefined;
  return isWritten ? cluster.imageContentSources : sourcesOf(cluster, mirrors);
}

const sourcesField = "spec.imageContentSources";

type Mirrors = Readonly<{ before: ManagementMirrors; after: ManagementMirrors }>;

/** Returns what changes in the sources that nodes have, a sentence for each; undefined when they stay. */
function sourceChange(
  stored: KubernetesObject,
  cluster: HostedCluster,
  { before, after }: Mirrors,
): readonly string[] | undefined {
  const from = presentSources(readHostedCluster(stored).cluster, before);
  const imageContentSources = isDelegated(cluster) ? from : cluster.imageContentSources;
  const to = sourcesOf({ ...cluster, imageContentSources }, after);
  return isSameJson(from, to) ? undefined : sourceDifferences(from, to);
}

/** The NodePools and ConfigMaps of one side. */
type PoolObjects = Readonly<{
  pools: ReadonlyMap<string, KubernetesObject>;
  configMaps: ReadonlyMap<string, KubernetesObject>;
}>;

const poolKey = (object: KubernetesObject) => `${namespaceOf(object)}/${object.metadata.name}`;

function poolObjects(objects: Objects): PoolObjects {
  const pools = objects.filter((object) => isKind(kinds.NodePool, object));
  return {
    pools: new Map(pools.map((object) => [poolKey(object), object])),
    configMaps: configMapsOf(objects),
  };
}

/** Returns what rolls out single NodePools of a cluster, by their names; pools of one side only have no nodes to roll. */
function causesOfPools(
  [before, after]: readonly [PoolObjects, PoolObjects],
  [old, now]: readonly [KubernetesObject, KubernetesObject],
  pools: readonly NodePool[],
  causesOf: (pool: NodePool) => readonly RolloutCause[],
): ReadonlyMap<string, readonly RolloutCause[]> {
  return new Map(
    pools.flatMap((pool): [string, readonly RolloutCause[]][] => {
      const stored = before.pools.get(poolKey(pool.object));
      if (!stored) return [];
      const own = poolCauses(
        { pool: readNodePool(stored).pool, hostedCluster: old, configMaps: before.configMaps },
        { pool, hostedCluster: now, configMaps: after.configMaps },
      );
      const causes = [...own, ...causesOf(pool)];
      return causes.length === 0 ? [] : [[pool.name, causes]];
    }),
  );
}

/**
 * Returns the hosted clusters of both sides whose nodes HyperShift rolls out for a change, with the cost. NodePools and
 * HostedClusters are those of `after`, or of `before` where `after` has none.
 */
export function hostedClusterCosts(
  before: Objects,
  after: Objects,
  { windows, now }: Calendar,
): readonly HostedClusterCost[] {
  const firstOf = (kind: typeof kinds.NodePool) =>
    [after, before]
      .map((side) => side.filter((object) => isKind(kind, object)))
      .find(({ length }) => length > 0) ?? [];
  const clusters = readHostedClusters(firstOf(kinds.HostedCluster));
  if (clusters.length === 0) return [];
  const nodePools = firstOf(kinds.NodePool);
  const poolsOf = nodePoolsByCluster(nodePools);
  const sides = [poolObjects(before), poolObjects(after)] as const;
  const mirrors = { before: readManagementMirrors(before), after: readManagementMirrors(after) };
  const ofOverrides = overrideCauses(before, after);
  return clusters.flatMap(({ cluster }): HostedClusterCost[] => {
    const old = findStored(cluster.object, before);
    // A new cluster has no nodes.
    if (!old) return [];
    const ofSources = sourceChange(old, cluster, mirrors);
    const { object, namespace, name } = cluster;
    const ofCluster = clusterCauses(old, object);
    const ofPools = causesOfPools(
      sides,
      [old, object],
      poolsOf(cluster).map(({ pool }) => pool),
      ofOverrides,
    );
    const isWhole = ofSources !== undefined || ofCluster.length > 0;
    if (!isWhole && ofPools.size === 0) return [];
    const rollout = rolloutCost(cluster, nodePools, isWhole ? undefined : new Set(ofPools.keys()));
    const { isHeld, window } = permissionFor(object, rollout.cost, { windows, now });
    const named = [...ofPools].flatMap(([pool, causes]) =>
      causes.map(({ field, text }) => ({
        field: sentence`NodePool ${pool} ${field}`,
        text: sentence`NodePool ${pool}: ${text}`,
      })),
    );
    const causes = [...ofCluster, ...named];
    // hubrelay holds back only what it writes itself.
    const isOwn = isDelegated(cluster) && ofSources !== undefined && causes.length === 0;
    return [
      {
        namespace,
        name,
        ...rollout,
        fields: [...new Set([...(ofSources ? [sourcesField] : []), ...causes.map(({ field }) => field)])],
        differences: [...(ofSources ?? []), ...causes.map(({ text }) => text)],
        maxCost: maxCostOf(object).maxCost ?? null,
        waits: isHeld && isOwn,
        window: (isOwn && window) || null,
      },
    ];
  });
}

/**
 * Returns the objects without hosted clusters whose `spec.imageContentSources` hubrelay derives, if `all` have no mirrors:
 * then nothing is known of what it derives.
 */
export function withKnownSources(objects: Objects, all: Objects): Objects {
  const hasMirrors = all.some((object) => mirrorRuleKinds.some((kind) => isKind(kind, object)));
  return hasMirrors
    ? objects
    : objects.filter(({ metadata }) => metadata.annotations?.[contentSourcesAnnotation] === undefined);
}

/** A change of `spec.imageContentSources` that hubrelay does not write yet. */
export type HeldChange = Omit<HostedClusterCost, "namespace" | "name" | "waits">;

/** Returns the held changes of hosted clusters, by `namespace/name`. */
export function heldChanges(
  objects: readonly KubernetesObject[],
  now: Date,
): ReadonlyMap<string, HeldChange> {
  const known = withKnownSources(objects, objects);
  const windows = objects.filter((object) => isKind(kinds.MaintenanceWindow, object));
  // Between equal sides only what hubrelay has not written yet differs.
  const costs = hostedClusterCosts(known, known, { windows, now });
  return new Map(
    costs.flatMap(({ namespace, name, waits, ...heldChange }) =>
      waits ? [[namespacedName({ namespace, name }), heldChange] as const] : [],
    ),
  );
}
