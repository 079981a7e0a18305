import { type HostedCluster, readHostedCluster } from "../hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsOf } from "../hosted-clusters/nodes/node-pool.ts";
import { isKind, kinds } from "../kubernetes/kinds.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { imageOfHostedCluster } from "../manifests/embedded-objects.ts";
import type { MirrorInput } from "../mirrors/configuration.ts";

/**
 * Returns the input from which the files of a hosted cluster's nodes are rendered: HyperShift makes one mirror set for
 * pulls by digest of spec.imageContentSources, and mirrors of the management cluster do not count.
 */
export function nodeRulesOf(cluster: HostedCluster): MirrorInput {
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
    ],
    ...(image ? { image } : {}),
  };
}

/** Returns the HostedCluster with this `namespace/name` and its rules; undefined without one. */
export function findHostedCluster(
  objects: readonly KubernetesObject[],
  named: string,
): HostedCluster | undefined {
  const clusters = objects.filter((object) => isKind(kinds.HostedCluster, object));
  return clusters
    .map((object) => readHostedCluster(object).cluster)
    .find(({ namespace, name }) => `${namespace}/${name}` === named);
}

/** Returns the architectures of a hosted cluster's NodePools, `amd64` without any. */
export function architecturesOfPools(
  objects: readonly KubernetesObject[],
  cluster: HostedCluster,
): readonly string[] {
  const found = nodePoolsOf(cluster, objects).map(({ arch }) => arch);
  return found.length > 0 ? [...new Set(found)].sort() : ["amd64"];
}
