import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/**
 * Where the Kubernetes Event `RegistryMirrors` remembers the repositories of a hosted cluster's releases: who is
 * concerned by a mirror is then known without asking a registry, also while it does not answer.
 */
const releaseMemoryAnnotation = "hubrelay.dev/release-repositories";

/** The release images of a hosted cluster. */
export function releasesOf({
  releaseImage,
  controlPlaneReleaseImage = "",
}: HostedCluster): readonly string[] {
  return [...new Set([releaseImage, controlPlaneReleaseImage])].filter((image) => image !== "");
}

/** What the Event remembers; nothing while nobody knows. */
export function releaseMemory(
  cluster: HostedCluster,
  repositories: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  return repositories === undefined
    ? {}
    : { [releaseMemoryAnnotation]: JSON.stringify({ releases: releasesOf(cluster), repositories }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // somebody has edited it
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** The repositories that the cluster's Event remembers, undefined where it remembers none of these releases. */
export function rememberedRepositories(
  cluster: HostedCluster,
  event: KubernetesObject | undefined,
): readonly string[] | undefined {
  const text = event?.metadata.annotations?.[releaseMemoryAnnotation];
  const memory = text === undefined ? undefined : parsed(text);
  if (!isRecord(memory) || !isTexts(memory.releases) || !isTexts(memory.repositories)) return undefined;
  const releases = releasesOf(cluster);
  return releases.join() === memory.releases.join() ? memory.repositories : undefined;
}
