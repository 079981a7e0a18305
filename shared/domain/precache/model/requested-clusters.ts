import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * Returns the clusters that an annotation of a ClusterGroupUpgrade names, separated by commas, or a word for several of
 * them; undefined without the annotation.
 */
export function requestedClusters(
  { metadata }: KubernetesObject,
  annotation: string,
): ReadonlySet<string> | undefined {
  const text = metadata.annotations?.[annotation];
  return text === undefined
    ? undefined
    : new Set(text.split(",").flatMap((name) => (name.trim() ? [name.trim()] : [])));
}
