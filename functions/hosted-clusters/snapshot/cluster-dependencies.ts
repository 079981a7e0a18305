import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { contentSourcesAnnotation } from "#shared/domain/hosted-clusters/content-sources.ts";
import { isWithoutTuning } from "#shared/domain/hosted-clusters/nodes/node-pool-issues.ts";

/** Returns the release images of a hosted cluster. */
export function releasesOf({
  releaseImage,
  controlPlaneReleaseImage = "",
}: HostedCluster): readonly string[] {
  return [...new Set([releaseImage, controlPlaneReleaseImage])].filter((image) => image !== "");
}

/** Returns true if the mirrors of the cluster's nodes are derived: MaintenanceWindows say when those may change. */
export function dependsOnWindows({ annotations }: HostedCluster): boolean {
  return annotations[contentSourcesAnnotation] !== undefined;
}

/** Returns true if NodePools decide what such a change costs, or may have tuning without effect. */
export function dependsOnNodePools(cluster: HostedCluster): boolean {
  return dependsOnWindows(cluster) || isWithoutTuning(cluster);
}
