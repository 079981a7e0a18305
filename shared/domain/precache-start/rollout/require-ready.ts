import { annotationIssue, type Issue } from "../../issues/issue.ts";
import { firstAnnotated, type KubernetesObject } from "../../kubernetes/object.ts";

/**
 * On a ClusterGroupUpgrade or on its PreCachingConfig, the former wins: `"true"` keeps clusters from starting until their
 * mirrors hold every image.
 */
export const requireReadyAnnotation = "hubrelay.dev/require-ready";

/**
 * Reports whether clusters wait until their images are ready, by the first of these objects that sets the annotation. A
 * value that cannot be read means that they do: a typing error must not start a night that fails.
 */
export function requiresReady(
  objects: readonly KubernetesObject[],
): Readonly<{ required: boolean; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, requireReadyAnnotation);
  if (!annotated || annotated.value === "false") return { required: false, issues: [] };
  if (annotated.value === "true") return { required: true, issues: [] };
  const issue = annotationIssue(annotated.object, requireReadyAnnotation, {
    code: "RequireReadyInvalid",
    message: "It is neither true nor false; until it is fixed, clusters wait until their images are ready.",
    remedy: 'Write "true" or "false".',
  });
  return { required: true, issues: [issue] };
}
