import { text } from "node:stream/consumers";
import type { HostedCluster } from "#shared/domain/hosted-clusters/hosted-cluster.ts";
import type { Issue } from "#shared/domain/issue.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readLiveHub } from "./live-hub.ts";
import { readSources } from "./manifest-source.ts";
import { UsageError } from "./usage-error.ts";

/** What a live hub is asked for. */
const liveKinds = [
  kinds.HostedCluster,
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
];

/** The objects that hosted clusters are judged by: those behind `-f`, or without it those of the live hub. */
export async function hostedInput(
  paths: readonly string[] | undefined,
): Promise<{ objects: readonly KubernetesObject[]; issues: readonly Issue[] }> {
  if (!paths) return { objects: await readLiveHub(liveKinds), issues: [] };
  const { objects, issues } = await readSources(paths, () => text(process.stdin));
  return { objects: objects.map(({ object }) => object), issues };
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
