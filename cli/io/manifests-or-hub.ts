import { text } from "node:stream/consumers";
import type { Issue } from "#shared/domain/issues/issue.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { DamagedObject } from "#shared/domain/manifests/manifests.ts";
import { readLiveHub } from "./live-hub.ts";
import { readSources } from "./manifest-source.ts";

export type ManifestsOrHub = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  /** Objects that could not be read completely; `issues` has the reasons. */
  damaged: readonly DamagedObject[];
}>;

/** Returns the objects that `-f` names, of any kind; without `-f`, the live hub's objects of these kinds. */
export async function manifestsOrHub(
  paths: readonly string[] | undefined,
  kinds: readonly Kind[],
): Promise<ManifestsOrHub> {
  if (!paths) return { objects: await readLiveHub(kinds), issues: [], damaged: [] };
  const { objects, issues, damaged = [] } = await readSources(paths, () => text(process.stdin));
  return { objects: objects.map(({ object }) => object), issues, damaged };
}
