import { sentence } from "../credentials/redact.ts";
import { ownValue } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { annotationIssue, type Issue } from "./issue.ts";

/** Set by users on what another program writes, a MachineConfigPool or a HostedCluster: `"true"` has hubrelay write it. */
export const takeOverAnnotation = "hubrelay.dev/take-over";

/** Without quotes, YAML reads these as booleans, which no annotation may be. */
const flags = ["true", "false"] as const;

/** Returns the error about an annotation that has none of these values; none without the annotation. */
export function choiceIssues(
  object: KubernetesObject,
  annotation: string,
  choices: readonly string[],
): readonly Issue[] {
  const value = ownValue(object.metadata.annotations, annotation);
  if (value === undefined || choices.includes(value)) return [];
  return [
    annotationIssue(object, annotation, {
      code: "InvalidAnnotation",
      message: sentence`${annotation} is ${value}, which is not a valid value`,
      remedy: sentence`Write ${choices.join(" or ")}, or remove the annotation.`,
    }),
  ];
}

/** Returns the error about an annotation that is neither `"true"` nor `"false"`; none without the annotation. */
export function flagIssues(object: KubernetesObject, annotation: string): readonly Issue[] {
  return choiceIssues(object, annotation, flags).map((issue) => ({
    ...issue,
    remedy: 'Write "true", or remove the annotation.',
  }));
}
