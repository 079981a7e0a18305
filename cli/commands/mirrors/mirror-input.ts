import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { type MirrorInput, mirrorInputOf } from "#shared/domain/mirrors/configuration.ts";
import { chosenSide } from "../../io/clusters/cluster-sides.ts";
import { type ManifestsOrHub, manifestsOrHub } from "../../io/manifest-source.ts";
import { requireObjects } from "../../io/nothing-to-check.ts";
import { type ReleaseOptions, releaseInput } from "./release-input.ts";
import { requirePool } from "./require-pool.ts";

/** Kinds that the files of nodes are rendered from, as read from a live hub. */
export const mirrorInputKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion];

/**
 * Kinds that change these files on the nodes of pools, or of a hosted cluster; many who may read the others may not read
 * those.
 */
export const nodeConfigKinds = [kinds.MachineConfig, kinds.MachineConfigPool, kinds.Infrastructure] as const;

/**
 * Reads the manifests that `-f` names for this command, or without it the objects of the live hub; `side` is the cluster, if
 * settings name it. Throws `UsageError` for
 * manifests of other kinds only, for those of several clusters, and for a pool that is not among their MachineConfigPools.
 */
export async function mirrorInput(
  command: string,
  paths: readonly string[] | undefined,
  { pool, ...release }: ReleaseOptions & Readonly<{ pool?: string }>,
): Promise<Readonly<{ input: MirrorInput; side?: string }> & Pick<ManifestsOrHub, "issues" | "place">> {
  const ofPool = pool === undefined ? [] : [kinds.MachineConfigPool];
  const given = await manifestsOrHub(paths, [...mirrorInputKinds, ...ofPool], [kinds.Infrastructure]);
  const { objects, issues, place, named } = chosenSide(given, mirrorInputKinds);
  requireObjects({ ...given, objects }, { paths, command, kinds: mirrorInputKinds });
  if (pool !== undefined) requirePool(objects, pool);
  const input = mirrorInputOf(objects);
  const side = named ? { side: named.name } : {};
  return { ...side, issues, place, input: { ...input, ...(await releaseInput(release, input)) } };
}
