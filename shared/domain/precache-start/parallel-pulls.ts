import { annotationIssue, type Issue } from "../issues/issue.ts";
import { firstAnnotated, type KubernetesObject } from "../kubernetes/object.ts";

/**
 * On a ClusterGroupUpgrade or on its PreCachingConfig, the former wins: how many images a cluster pulls at a time.
 */
export const parallelPullsAnnotation = "hubrelay.dev/parallel-pulls";

/** An invalid limit must not mean no limit. */
const fallback = 1;

/**
 * Returns the maximum number of images that a cluster pulls at a time, from the first of these objects that sets it;
 * undefined when none does. An invalid value means one image at a time, and is reported.
 */
export function parallelPulls(
  objects: readonly KubernetesObject[],
): Readonly<{ max: number | undefined; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, parallelPullsAnnotation);
  if (!annotated) return { max: undefined, issues: [] };
  const { object, value } = annotated;
  if (/^[1-9][0-9]?$/.test(value.trim())) return { max: Number(value), issues: [] };
  const issue = annotationIssue(object, parallelPullsAnnotation, {
    code: "InvalidLimit",
    message: "Invalid number of images; until it is fixed, clusters that start pull one image at a time.",
    remedy: "Write a whole number from 1 to 99.",
  });
  return { max: fallback, issues: [issue] };
}
