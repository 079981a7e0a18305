import { text } from "node:stream/consumers";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isOfAnyVersion } from "#shared/domain/issues/served-version.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { readSources } from "../../io/manifest-source.ts";
import { UsageError } from "../../program/usage-error.ts";

/** What a live hub is asked for: the hosted clusters and the mirrors of their management cluster. */
const hostedKinds = [
  kinds.HostedCluster,
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
];

export type HostedInput = Readonly<{
  /** Whatever their kind, and HostedClusters of which not everything could be read. */
  objects: readonly KubernetesObject[];
  /** About files and other objects. */
  issues: readonly Issue[];
  /** What could not be read of a HostedCluster. */
  damage: ReadonlyMap<KubernetesObject, readonly Issue[]>;
}>;

/**
 * The objects behind `-f`; without it those of the live hub. A HostedCluster that is no Kubernetes object is among
 * them all the same, without what is wrong in its metadata: every one is answered for.
 */
export async function readHostedInput(paths: readonly string[] | undefined): Promise<HostedInput> {
  if (!paths) return { objects: await readLiveHub(hostedKinds), issues: [], damage: new Map() };
  const { objects, issues, damaged = [] } = await readSources(paths, () => text(process.stdin));
  const clusters = damaged.filter(({ object }) => isOfAnyVersion(kinds.HostedCluster, object));
  const told = new Set(clusters.flatMap((cluster) => cluster.issues.map(({ message }) => message)));
  return {
    objects: [...objects.map(({ object }) => object), ...clusters.map(({ object }) => object)],
    issues: issues.filter(({ message }) => !told.has(message)),
    damage: new Map(clusters.map((cluster) => [cluster.object, cluster.issues])),
  };
}

type Named = Pick<HostedCluster, "namespace" | "name">;

/**
 * The clusters that a person means: all without a name, else the one of `name` or `namespace/name`. Throws
 * `UsageError` when there is none, or when several namespaces have one of this name.
 */
export function chosenClusters<Cluster>(
  clusters: readonly Cluster[],
  name: string | undefined,
  named: (cluster: Cluster) => Named,
): readonly Cluster[] {
  if (name === undefined) return clusters;
  const fullName = (cluster: Cluster) => `${named(cluster).namespace}/${named(cluster).name}`;
  const found = clusters.filter((cluster) => named(cluster).name === name || fullName(cluster) === name);
  if (found.length === 0) throw new UsageError(`There is no HostedCluster ${name}.`);
  if (found.length > 1)
    throw new UsageError(
      `There are several: ${found.map(fullName).join(", ")}. Name one with its namespace.`,
    );
  return found;
}
