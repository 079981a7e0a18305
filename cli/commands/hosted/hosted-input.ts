import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { type Coverage, inputCoverage } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { chosenSide, clusterSides } from "../../io/clusters/cluster-sides.ts";
import type { PlaceIssues } from "../../io/hub-manifests.ts";
import { type ManifestsOrHub, manifestsOrHub, type PlacedSide } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { unknownName } from "../../program/unknown-name.ts";

const hostedKinds = [kinds.HostedCluster, ...mirrorRuleKinds];

const decisiveKinds = [kinds.NodePool, kinds.MaintenanceWindow];

export type HostedInput = Readonly<{
  /** The name of the management cluster; empty if the input has only one. */
  name: string;
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  place: PlaceIssues;
  coverage: Coverage;
}>;

const readKinds = [...hostedKinds, ...decisiveKinds];

function inputOf(
  { name, objects, issues, place }: PlacedSide,
  { unread, nameOf }: Pick<ManifestsOrHub, "unread" | "nameOf">,
): HostedInput {
  return {
    name,
    objects,
    issues,
    place,
    coverage: inputCoverage({ objects, unread, issues, assumed: [], nameOf }, readKinds),
  };
}

async function readHosted(paths: readonly string[] | undefined): Promise<ManifestsOrHub> {
  const read = await manifestsOrHub(paths, hostedKinds, decisiveKinds);
  requireObjects(read, { paths, command: "hosted", kinds: hostedKinds });
  return read;
}

/** Reads the objects of `-f` or of the live hub. Throws `UsageError` for objects of several management clusters. */
export async function readHostedInput(paths: readonly string[] | undefined): Promise<HostedInput> {
  const read = await readHosted(paths);
  const side = chosenSide(read, readKinds);
  return inputOf(side, { ...read, ...side });
}

/** Reads the input of each management cluster that has HostedClusters; of all if no cluster has any. */
export async function readHostedSides(paths: readonly string[] | undefined): Promise<readonly HostedInput[]> {
  const read = await readHosted(paths);
  const inputs = clusterSides(read, readKinds).map((side) => inputOf(side, read));
  const listed = inputs.filter(({ objects }) =>
    objects.some((object) => isOfAnyVersion(kinds.HostedCluster, object)),
  );
  return listed.length > 0 ? listed : inputs;
}

type Named = Pick<HostedCluster, "namespace" | "name">;

const fullName = ({ namespace, name }: Named) => `${namespace}/${name}`;

/** Reports whether a cluster has this `name` or `namespace/name`. */
export const isClusterNamed = (cluster: Named, name: string | undefined): boolean =>
  cluster.name === name || fullName(cluster) === name;

/** Returns all clusters or, with a `name`, the only cluster of that name. Throws if none or several have that name. */
export function chosenClusters<Cluster>(
  clusters: readonly Cluster[],
  name: string | undefined,
  named: (cluster: Cluster) => Named,
): readonly Cluster[] {
  if (name === undefined) return clusters;
  const found = clusters.filter((cluster) => isClusterNamed(named(cluster), name));
  if (found.length === 0) {
    const known = clusters.map(named).flatMap((cluster) => [cluster.name, fullName(cluster)]);
    throw unknownName(`no such HostedCluster: ${name}`, name, known);
  }
  if (found.length > 1)
    throw new UsageError(
      `several HostedClusters match: ${found.map((cluster) => fullName(named(cluster))).join(", ")}. Add the namespace.`,
    );
  return found;
}
