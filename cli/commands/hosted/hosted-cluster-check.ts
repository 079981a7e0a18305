import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { nodePoolsByCluster, readNodePool } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import {
  nodePoolIssues,
  nodePoolReleaseIssues,
} from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";
import { configMapsOf } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import { validateHostedCluster } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import type { Unread } from "#shared/domain/issues/coverage.ts";
import { errorsOf, type Issue, versionIssues } from "#shared/domain/issues/issue.ts";
import {
  findStored,
  isKind,
  isOfAnyVersion,
  type KubernetesObject,
  kinds,
} from "#shared/domain/kubernetes/object.ts";
import { readSources } from "../../io/manifest-source.ts";

export type CheckOptions = Readonly<{
  /** Where the stored objects are: a file, a directory, `-` for standard input, or `hub`. Absent if there are none. */
  against?: string | undefined;
}>;

const isHostedCluster = (object: KubernetesObject) => isOfAnyVersion(kinds.HostedCluster, object);
function poolIssues(
  objects: readonly KubernetesObject[],
  stored: readonly KubernetesObject[],
): readonly Issue[] {
  const nodePools = objects.filter((object) => isKind(kinds.NodePool, object));
  const given = objects.filter(isHostedCluster);
  const others = stored.filter((object) => isHostedCluster(object) && !findStored(object, given));
  const poolsOf = nodePoolsByCluster(nodePools);
  // A ConfigMap among the given objects replaces the stored ConfigMap.
  const configMaps = configMapsOf([...stored, ...objects]);
  const together = [...given, ...others].flatMap((object) => {
    const { cluster } = readHostedCluster(object);
    return poolsOf(cluster).flatMap((read) => nodePoolIssues(cluster, read, configMaps));
  });
  const alone = nodePools
    .map(readNodePool)
    .flatMap(({ pool, issues }) => [...issues, ...nodePoolReleaseIssues(pool)]);
  return [...alone, ...together];
}

export type ObjectChecks = Readonly<{
  issuesOf(objects: readonly KubernetesObject[]): readonly Issue[];
  /** Objects on the hub that NodePools reference and that the caller has no permission to read. */
  unread: readonly Unread[];
}>;

/** Returns a function that finds what API servers would refuse in HostedClusters and NodePools. */
export async function objectChecks(
  all: readonly KubernetesObject[],
  { against }: CheckOptions,
): Promise<ObjectChecks> {
  const hub = against === "hub" ? await import("../mirrors/hub-dry-run.ts") : undefined;
  const asked = await hub?.dryRunOnHub(all);
  const old = !asked && against !== undefined ? await readSources([against]) : undefined;
  const stored = asked?.stored ?? old?.objects ?? [];
  const ofObject = (object: KubernetesObject) => {
    if (!isHostedCluster(object)) return [];
    const own = [
      ...versionIssues(kinds.HostedCluster, object),
      ...validateHostedCluster(object, findStored(object, stored)),
    ];
    const refused = new Set(errorsOf(own).map(({ path }) => path));
    return [...own, ...(asked?.issuesOf(object) ?? []).filter(({ path }) => !refused.has(path))];
  };
  return {
    issuesOf: (objects) => [
      ...(old?.issues ?? []),
      ...objects.flatMap(ofObject),
      ...poolIssues(objects, stored),
    ],
    unread: asked?.unread ?? [],
  };
}
