import { annotationIssue, type Issue } from "../issues/issue.ts";
import { firstAnnotated, type KubernetesObject } from "../kubernetes/object.ts";
import { type Bandwidths, noBandwidths, withBandwidth } from "./bandwidths.ts";

/**
 * Annotation of a ClusterGroupUpgrade or its PreCachingConfig; the former takes precedence. The value has bandwidths
 * in Mbit/s: `100,oslo=20` is 20 at the site `oslo` and 100 elsewhere.
 */
export const bandwidthAnnotation = "hubrelay.dev/bandwidth";

/** Returns the bandwidths in the first `bandwidthAnnotation` of these objects. Invalid entries are ignored. */
export function bandwidthAnnotations(
  objects: readonly KubernetesObject[],
): Readonly<{ bandwidths: Bandwidths; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, bandwidthAnnotation);
  if (!annotated) return { bandwidths: noBandwidths, issues: [] };
  const issues: Issue[] = [];
  const bandwidths = annotated.value.split(",").reduce((known, value) => {
    const next = withBandwidth(known, value.trim());
    if (!next)
      issues.push(
        annotationIssue(annotated.object, bandwidthAnnotation, {
          code: "InvalidBandwidth",
          value,
          message: "Invalid bandwidth; it is ignored.",
          remedy: "Write Mbit/s like 100, or SITE=20, several separated by commas.",
        }),
      );
    return next ?? known;
  }, noBandwidths);
  return { bandwidths, issues };
}
