import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isOfAnyVersion } from "#shared/domain/issues/served-version.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/mirror-kinds.ts";
import { placeText } from "../../io/issue-text.ts";
import { manifestsOrHub, type PlaceIssues } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** Hosted clusters, and mirrors of their management cluster. */
const hostedKinds = [kinds.HostedCluster, ...mirrorRuleKinds];

/** Decide when a change of these mirrors is written. */
const decisiveKinds = [kinds.NodePool, kinds.MaintenanceWindow];

export type HostedInput = Readonly<{
  /** Objects of any kind, and HostedClusters that could be read only in part. */
  objects: readonly KubernetesObject[];
  /** Issues of files and other objects. */
  issues: readonly Issue[];
  /** The read errors of HostedClusters. */
  damage: ReadonlyMap<KubernetesObject, readonly Issue[]>;
  place: PlaceIssues;
}>;

/**
 * Reads the objects that `-f` names; without it those of the live hub. Includes HostedClusters with invalid metadata,
 * without the invalid fields, so that every HostedCluster is in the result. Throws `UsageError` for manifests with neither
 * HostedClusters nor mirrors.
 */
export async function readHostedInput(paths: readonly string[] | undefined): Promise<HostedInput> {
  const read = await manifestsOrHub(paths, hostedKinds, decisiveKinds);
  requireObjects(read, { paths, command: "hosted", kinds: hostedKinds });
  const { objects, issues, damaged, place } = read;
  const clusters = damaged.filter(({ object }) => isOfAnyVersion(kinds.HostedCluster, object));
  const reported = new Set(clusters.flatMap((cluster) => cluster.issues.map(placeText)));
  return {
    objects: [...objects, ...clusters.map(({ object }) => object)],
    issues: issues.filter((issue) => !reported.has(placeText(issue))),
    damage: new Map(clusters.map((cluster) => [cluster.object, cluster.issues])),
    place,
  };
}

type Named = Pick<HostedCluster, "namespace" | "name">;

/**
 * Selects clusters: all without a name, else the one with this `name` or `namespace/name`. Throws `UsageError` when no
 * cluster has that name, or when several namespaces have one.
 */
export function chosenClusters<Cluster>(
  clusters: readonly Cluster[],
  name: string | undefined,
  named: (cluster: Cluster) => Named,
): readonly Cluster[] {
  if (name === undefined) return clusters;
  const fullName = (cluster: Cluster) => `${named(cluster).namespace}/${named(cluster).name}`;
  const found = clusters.filter((cluster) => named(cluster).name === name || fullName(cluster) === name);
  if (found.length === 0) throw new UsageError(`no such HostedCluster: ${name}`);
  if (found.length > 1)
    throw new UsageError(
      `several HostedClusters match: ${found.map(fullName).join(", ")}. Add the namespace.`,
    );
  return found;
}
