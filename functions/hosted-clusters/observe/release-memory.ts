import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { isRecord, isStringList, parseJson } from "#shared/domain/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/**
 * On the Kubernetes Event `RegistryMirrors`, records the repositories of a hosted cluster's releases: the clusters
 * that a mirror affects are then known without a registry request, even while the registry does not respond.
 */
const releaseMemoryAnnotation = "hubrelay.dev/release-repositories";

/** Returns the release images of a hosted cluster. */
export function releasesOf({
  releaseImage,
  controlPlaneReleaseImage = "",
}: HostedCluster): readonly string[] {
  return [...new Set([releaseImage, controlPlaneReleaseImage])].filter((image) => image !== "");
}

/** Returns the annotations that record the repositories; none while they are unknown. */
export function releaseMemory(
  cluster: HostedCluster,
  repositories: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  return repositories === undefined
    ? {}
    : { [releaseMemoryAnnotation]: JSON.stringify({ releases: releasesOf(cluster), repositories }) };
}

/** Returns the repositories that the cluster's Event records; undefined if it records other releases. */
export function rememberedRepositories(
  cluster: HostedCluster,
  event: KubernetesObject | undefined,
): readonly string[] | undefined {
  const text = event?.metadata.annotations?.[releaseMemoryAnnotation];
  const memory = text === undefined ? undefined : parseJson(text); // a user may have edited it
  if (!isRecord(memory) || !isStringList(memory.releases) || !isStringList(memory.repositories))
    return undefined;
  const releases = releasesOf(cluster);
  return releases.join() === memory.releases.join() ? memory.repositories : undefined;
}
