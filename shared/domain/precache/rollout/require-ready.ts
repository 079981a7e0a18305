import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

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
  const object = objects.find(({ metadata }) => metadata.annotations?.[requireReadyAnnotation] !== undefined);
  const value = object?.metadata.annotations?.[requireReadyAnnotation] ?? "false";
  if (!object || value === "true" || value === "false") return { required: value === "true", issues: [] };
  const issue: Issue = {
    code: "RequireReadyInvalid",
    severity: "error",
    object: issueObject(object),
    path: `metadata.annotations["${requireReadyAnnotation}"]`,
    value,
    message: "It is neither true nor false; until it is fixed, clusters wait until their images are ready.",
    remedy: 'Write "true" or "false".',
  };
  return { required: true, issues: [issue] };
}
