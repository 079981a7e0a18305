import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";

/** Returns the release images of a hosted cluster. */
export function releasesOf({
  releaseImage,
  controlPlaneReleaseImage = "",
}: HostedCluster): readonly string[] {
  return [...new Set([releaseImage, controlPlaneReleaseImage])].filter((image) => image !== "");
}
