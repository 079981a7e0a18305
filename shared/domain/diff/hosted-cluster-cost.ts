import { type ImageContentSource, readHostedCluster } from "../hosted-clusters/cluster/hosted-cluster.ts";
import { readHostedClusters } from "../hosted-clusters/given-clusters.ts";
import { type NodePool, nodePoolsByCluster, readNodePool } from "../hosted-clusters/nodes/node-pool.ts";
import { configMapsOf } from "../hosted-clusters/nodes/pool-config.ts";
import { type RolloutCost, rolloutCost } from "../hosted-clusters/nodes/rollout-cost.ts";
import { byCodeUnit, isSameJson } from "../kubernetes/json/values.ts";
import { findStored, isKind, type KubernetesObject, kinds, namespaceOf } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { overrideCauses } from "./operator-overrides.ts";
import { clusterCauses, poolCauses, type RolloutCause } from "./rollout-causes.ts";

/** The cost of a change for the nodes of one hosted cluster. */
export type HostedClusterCost = RolloutCost &
  Readonly<{
    namespace: string;
    name: string;
    /** The changed fields: `spec.…` of the HostedCluster, or `NodePool NAME spec.…`. */
    fields: readonly string[];
    /** One sentence for each changed source of `spec.imageContentSources`, and one for each other changed field. */
    differences: readonly string[];
  }>;

type Objects = readonly KubernetesObject[];

const sourcesField = "spec.imageContentSources";

function sourceDifferences(
  from: readonly ImageContentSource[],
  to: readonly ImageContentSource[],
): readonly string[] | undefined {
  if (isSameJson(from, to)) return undefined;
  const before = new Map(from.map(({ source, mirrors }) => [source, mirrors.join(", ")]));
  const after = new Map(to.map(({ source, mirrors }) => [source, mirrors.join(", ")]));
  const differences = [...new Set([...before.keys(), ...after.keys()])].sort(byCodeUnit).flatMap((source) => {
    const [old, now] = [before.get(source), after.get(source)];
    if (old === now) return [];
    if (now === undefined) return [sentence`${source} has no mirrors any more.`];
    return [
      sentence`The mirrors of ${source} become ${now}${old === undefined ? "" : sentence`, and are ${old}`}.`,
    ];
  });
  return differences.length > 0 ? differences : ["The order of the sources changes."];
}

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

/** Returns the cost for each hosted cluster, except new ones, whose nodes HyperShift replaces or updates. */
export function hostedClusterCosts(before: Objects, after: Objects): readonly HostedClusterCost[] {
  const firstOf = (kind: typeof kinds.NodePool) =>
    [after, before]
      .map((side) => side.filter((object) => isKind(kind, object)))
      .find(({ length }) => length > 0) ?? [];
  const clusters = readHostedClusters(firstOf(kinds.HostedCluster));
  if (clusters.length === 0) return [];
  const nodePools = firstOf(kinds.NodePool);
  const poolsOf = nodePoolsByCluster(nodePools);
  const sides = [poolObjects(before), poolObjects(after)] as const;
  const ofOverrides = overrideCauses(before, after);
  return clusters.flatMap(({ cluster }): HostedClusterCost[] => {
    const old = findStored(cluster.object, before);
    if (!old) return [];
    const { imageContentSources: present } = readHostedCluster(old).cluster;
    const ofSources = sourceDifferences(present, cluster.imageContentSources);
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
    const named = [...ofPools].flatMap(([pool, causes]) =>
      causes.map(({ field, text }) => ({
        field: sentence`NodePool ${pool} ${field}`,
        text: sentence`NodePool ${pool}: ${text}`,
      })),
    );
    const causes = [...ofCluster, ...named];
    const fields = [...(ofSources ? [sourcesField] : []), ...causes.map(({ field }) => field)];
    const differences = [...(ofSources ?? []), ...causes.map(({ text }) => text)];
    return [{ namespace, name, ...rollout, fields: [...new Set(fields)], differences }];
  });
}
