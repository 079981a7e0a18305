import type { HostedCluster } from "#shared/domain/hosted-clusters/hosted-cluster.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { UsageError } from "./usage-error.ts";

/** What a live hub is asked for: the hosted clusters and the mirrors of their management cluster. */
export const hostedKinds = [
  kinds.HostedCluster,
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
];

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
