import { mirrorKinds } from "#functions/mirror-config/watches.ts";
import { isKind, type Kind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { type ManifestsOrHub, manifestsOrHub } from "../../io/manifest-source.ts";
import { type ReleaseOptions, releaseInput } from "./release-input.ts";

/** Kinds that the files of nodes are rendered from, as read from a live hub. */
export const mirrorInputKinds = [...mirrorKinds, kinds.Image, kinds.ClusterVersion];

/** Sorts objects into the input of the mirror configuration. */
export function mirrorInputOf(objects: readonly KubernetesObject[]): MirrorInput {
  const named = (kind: (typeof kinds)[keyof typeof kinds], name: string): KubernetesObject | undefined =>
    objects.find((object) => isKind(kind, object) && object.metadata.name === name);
  const image = named(kinds.Image, "cluster");
  const clusterVersion = named(kinds.ClusterVersion, "version");
  return { objects, ...(image ? { image } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}

/**
 * Reads the manifests that `-f` names, or without it the objects of the live hub. `others` are additional kinds to read
 * from the hub.
 */
export async function mirrorInput(
  paths: readonly string[] | undefined,
  release: ReleaseOptions,
  others: readonly Kind[] = [],
): Promise<Readonly<{ input: MirrorInput }> & Omit<ManifestsOrHub, "objects">> {
  const { objects, ...read } = await manifestsOrHub(paths, [...mirrorInputKinds, ...others]);
  const input = mirrorInputOf(objects);
  return { ...read, input: { ...input, ...(await releaseInput(release, input)) } };
}
