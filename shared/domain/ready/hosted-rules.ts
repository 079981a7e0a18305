import { type HostedCluster, readHostedCluster } from "../hosted-clusters/cluster/hosted-cluster.ts";
import { type NodePool, nodePoolsOf } from "../hosted-clusters/nodes/node-pool.ts";
import { configMapsOf, readPoolConfig } from "../hosted-clusters/nodes/pool-config.ts";
import { fieldsOf, objectsOf, textOf } from "../kubernetes/json/values.ts";
import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { imageOfHostedCluster } from "../manifests/embedded-objects.ts";
import type { MirrorInput } from "../mirrors/configuration.ts";

/**
 * Returns the mirror rules of a hosted cluster's nodes: the ImageDigestMirrorSet that HyperShift creates from
 * spec.imageContentSources, and the pool's ConfigMaps. Mirrors of the management cluster do not apply.
 */
export function nodeRulesOf(cluster: HostedCluster, ofPool: readonly KubernetesObject[] = []): MirrorInput {
  const { apiVersion, kind } = kinds.ImageDigestMirrorSet;
  const image = imageOfHostedCluster(cluster.object);
  return {
    objects: [
      {
        apiVersion,
        kind,
        metadata: { name: "cluster" },
        spec: { imageDigestMirrors: cluster.imageContentSources },
      },
      ...ofPool,
    ],
    ...(image ? { image } : {}),
  };
}

/** Returns the HostedCluster with the name `named` (`namespace/name`); undefined if there is none. */
export function findHostedCluster(
  objects: readonly KubernetesObject[],
  named: string,
): HostedCluster | undefined {
  const clusters = objects.filter((object) => isKind(kinds.HostedCluster, object));
  return clusters
    .map((object) => readHostedCluster(object).cluster)
    .find(({ namespace, name }) => `${namespace}/${name}` === named);
}

/** The nodes of a hosted cluster that pull by the same mirror rules. */
export type NodeGroup = Readonly<{
  input: MirrorInput;
  /** The architectures of the nodes; only `amd64` for a cluster without pools. */
  architectures: readonly string[];
  /** The releases that the nodes run or will run: images, or versions if the image is unknown. */
  releases: readonly string[];
}>;

function releasesOf({ object: { status } }: HostedCluster, pool: NodePool): readonly string[] {
  const { releaseImage, version, runningVersion } = pool;
  const history = objectsOf(fieldsOf(fieldsOf(status).version).history);
  const running = history.find((entry) => entry.version === runningVersion)?.image;
  const still = runningVersion === version ? undefined : (textOf(running) ?? runningVersion);
  return [releaseImage, still ?? ""].filter((release) => release !== "");
}

/** Returns a hosted cluster's nodes in groups with the same mirror rules and, with `byRelease`, the same releases. */
export function nodeGroups(
  cluster: HostedCluster,
  objects: readonly KubernetesObject[],
  { byRelease }: Readonly<{ byRelease: boolean }>,
): readonly NodeGroup[] {
  const configMaps = configMapsOf(objects);
  const pools = nodePoolsOf(cluster, objects).map((pool) => ({
    arch: pool.arch,
    config: readPoolConfig(pool, configMaps).objects,
    releases: releasesOf(cluster, pool),
  }));
  // Future pools run the cluster's own release, without ConfigMaps.
  const own = pools.some(({ releases }) => releases.includes(cluster.releaseImage))
    ? []
    : (pools.length > 0 ? [...new Set(pools.map(({ arch }) => arch))] : ["amd64"]).map((arch) => ({
        arch,
        config: [],
        releases: [cluster.releaseImage],
      }));
  const all = byRelease || pools.length === 0 ? [...own, ...pools] : pools;
  const alike = Map.groupBy(all, ({ config, releases }) =>
    JSON.stringify([config, byRelease ? releases : []]),
  );
  return [...alike.values()].map((some) => ({
    input: nodeRulesOf(cluster, some[0]?.config),
    architectures: [...new Set(some.map(({ arch }) => arch))].sort(),
    releases: [...new Set(some.flatMap(({ releases }) => releases))],
  }));
}
