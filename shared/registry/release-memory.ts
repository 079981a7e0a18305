import { isRecord, isStringList, parseJson } from "../domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "../domain/kubernetes/object.ts";

/** Annotation of an Event with the repositories of a release's images, which are thus known without a request. */
const releaseMemoryAnnotation = "hubrelay.dev/release-repositories";

/** Returns the annotation that records these repositories. Empty if they are unknown. */
export function releaseMemory(
  releases: readonly string[],
  repositories: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  return repositories === undefined
    ? {}
    : { [releaseMemoryAnnotation]: JSON.stringify({ releases, repositories }) };
}

/** Returns the repositories that the Event records. Undefined if they are not recorded for exactly these releases. */
export function rememberedRepositories(
  releases: readonly string[],
  event: KubernetesObject | undefined,
): readonly string[] | undefined {
  const text = event?.metadata.annotations?.[releaseMemoryAnnotation];
  const memory = text === undefined ? undefined : parseJson(text); // a user may have edited it
  if (!isRecord(memory) || !isStringList(memory.releases) || !isStringList(memory.repositories))
    return undefined;
  return releases.join() === memory.releases.join() ? memory.repositories : undefined;
}
