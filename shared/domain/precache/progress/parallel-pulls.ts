import { type Issue, issueObject } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/** On a ClusterGroupUpgrade or on its PreCachingConfig, the former wins: how many images a cluster pulls at a time. */
export const parallelPullsAnnotation = "hubrelay.dev/parallel-pulls";

/** A limit that cannot be read must not become none. */
const cautious = 1;

/**
 * How many images a cluster pulls at a time at most, as the first of these objects that says something about it says;
 * undefined where none does. What cannot be read is one image at a time, and is told.
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
    message: "It is no number of images, and a cluster that starts pulls one at a time until it is.",
    remedy: "Write a whole number from 1 to 99.",
  };
  return { most: cautious, issues: [issue] };
}
