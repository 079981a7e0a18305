import { firstAnnotated, type KubernetesObject } from "../../kubernetes/object.ts";

/** On a ClusterGroupUpgrade or on its PreCachingConfig: the ManagedCluster label that names the site, e.g. `site`. */
export const siteLabelAnnotation = "hubrelay.dev/site-label";

/** Returns the ManagedCluster label that names the site, from the first of these objects that sets it. */
export function siteLabelOf(objects: readonly KubernetesObject[]): string | undefined {
  return firstAnnotated(objects, siteLabelAnnotation)?.value || undefined;
}

/** Returns the labels of ManagedClusters by cluster name. */
export function labelsByCluster(
  managedClusters: readonly KubernetesObject[],
): (cluster: string) => Readonly<Record<string, string>> | undefined {
  const labels = new Map(managedClusters.map(({ metadata }) => [metadata.name, metadata.labels]));
  return (cluster) => labels.get(cluster);
}
