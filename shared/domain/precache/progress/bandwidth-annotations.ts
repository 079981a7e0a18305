import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type Bandwidths, noBandwidths, withBandwidth } from "./bandwidth.ts";

/**
 * On a ClusterGroupUpgrade or on its PreCachingConfig, the former wins: Mbit/s of clusters, or of a site, in the
 * format of `--bandwidth`, separated by commas: `100,oslo=20`.
 */
export const bandwidthAnnotation = "hubrelay.dev/bandwidth";

/** Returns the bandwidths of the first annotated object. Invalid entries are ignored and reported. */
export function bandwidthAnnotations(
  objects: readonly KubernetesObject[],
): Readonly<{ bandwidths: Bandwidths; issues: readonly Issue[] }> {
  const object = objects.find(({ metadata }) => metadata.annotations?.[bandwidthAnnotation] !== undefined);
  const entries = object?.metadata.annotations?.[bandwidthAnnotation]?.split(",") ?? [];
  const issues: Issue[] = [];
  const bandwidths = entries.reduce((known, entry) => {
    const next = withBandwidth(known, entry.trim());
    if (!next && object)
      issues.push({
        code: "InvalidBandwidth",
        severity: "error",
        object: issueObject(object),
        path: `metadata.annotations["${bandwidthAnnotation}"]`,
        value: entry,
        message: "Invalid bandwidth; it is ignored.",
        remedy: "Write Mbit/s like 100, or SITE=20, several separated by commas.",
      });
    return next ?? known;
  }, noBandwidths);
  return { bandwidths, issues };
}
