import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

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
): Readonly<{ most: number | undefined; issues: readonly Issue[] }> {
  const object = objects.find(
    ({ metadata }) => metadata.annotations?.[parallelPullsAnnotation] !== undefined,
  );
  if (!object) return { most: undefined, issues: [] };
  const value = object.metadata.annotations?.[parallelPullsAnnotation] ?? "";
  if (/^[1-9][0-9]?$/.test(value.trim())) return { most: Number(value), issues: [] };
  const issue: Issue = {
    code: "InvalidLimit",
    severity: "error",
    object: issueObject(object),
    path: `metadata.annotations["${parallelPullsAnnotation}"]`,
    value,
    message: "Invalid number of images; until it is fixed, clusters that start pull one image at a time.",
    remedy: "Write a whole number from 1 to 99.",
  };
  return { most: fallback, issues: [issue] };
}
