import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { isKind, type Kind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { manifestsOrHub } from "../../io/manifests-or-hub.ts";

/** All that the files of nodes are made from; what a live hub is asked for. */
export const mirrorInputKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion];

/** Objects sorted into what the mirror configuration is made from. */
export function mirrorInputOf(objects: readonly KubernetesObject[]): MirrorInput {
  const named = (kind: (typeof kinds)[keyof typeof kinds], name: string): KubernetesObject | undefined =>
    objects.find((object) => isKind(kind, object) && object.metadata.name === name);
  const image = named(kinds.Image, "cluster");
  const clusterVersion = named(kinds.ClusterVersion, "version");
  return { objects, ...(image ? { image } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}

/**
 * The manifests behind `-f`, or without it the objects of the live hub, as `mirrorInputOf` sorts them; `others` are
 * kinds that the hub is asked for as well.
 */
export async function mirrorInput(
  paths: readonly string[] | undefined,
  others: readonly Kind[] = [],
): Promise<{ input: MirrorInput; issues: readonly Issue[] }> {
  const { objects, issues } = await manifestsOrHub(paths, [...mirrorInputKinds, ...others]);
  return { input: mirrorInputOf(objects), issues };
}
