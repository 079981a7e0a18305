import { text } from "node:stream/consumers";
import type { Issue } from "#shared/domain/issue.ts";
import { isKind, kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { MirrorInput } from "#shared/domain/mirrors/configuration.ts";
import { readSources } from "./manifest-source.ts";

/** Objects sorted into what the mirror configuration is made from. */
export function mirrorInputOf(objects: readonly KubernetesObject[]): MirrorInput {
  const named = (kind: (typeof kinds)[keyof typeof kinds], name: string): KubernetesObject | undefined =>
    objects.find((object) => isKind(kind, object) && object.metadata.name === name);
  const image = named(kinds.Image, "cluster");
  const clusterVersion = named(kinds.ClusterVersion, "version");
  return { objects, ...(image ? { image } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}

/** The manifests behind `-f`, as `mirrorInputOf` sorts them. */
export async function mirrorInput(
  paths: readonly string[],
): Promise<{ input: MirrorInput; issues: readonly Issue[] }> {
  const { objects, issues } = await readSources(paths, () => text(process.stdin));
  return { input: mirrorInputOf(objects.map(({ object }) => object)), issues };
}
