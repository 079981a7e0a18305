import { type Issue, issueObject } from "../../../issues/issue.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { type ManagedPolicies, rootPolicyLabel } from "./managed-policies.ts";
import { policyMistake } from "./policy-objects.ts";

/** Which of the managed policies keep the whole from being planned, and what to do about them. */
export function unusablePolicies({
  missing,
  invalid,
  ambiguous,
}: ManagedPolicies): Pick<Issue, "path" | "value" | "remedy"> {
  const path = "spec.managedPolicies";
  const several = Object.keys(ambiguous);
  if (several.length > 0)
    return {
      path,
      value: several,
      remedy: "Rename all but one of each: a name is all that says which is meant.",
    };
  if (invalid.length > 0)
    return { path, value: invalid, remedy: "Correct these policies; what is wrong is told of each." };
  return { path, value: missing, remedy: "Name policies that are there and bound to a selected cluster." };
}

/** What is wrong with each invalid policy: TALM only says that it is. */
export function invalidPolicyIssues(
  { invalid }: ManagedPolicies,
  policies: readonly KubernetesObject[],
): readonly Issue[] {
  const roots = policies.filter(({ metadata }) => metadata.labels?.[rootPolicyLabel] === undefined);
  return invalid.flatMap((name) =>
    roots
      .filter(({ metadata }) => metadata.name === name)
      .map((policy): Issue => {
        const { path, message } = policyMistake(policy.spec) ?? {
          path: "spec.policy-templates",
          message: "A copy of it in a cluster's namespace still holds a hub template: it was not resolved.",
        };
        return {
          code: "PolicyInvalid",
          severity: "error",
          object: issueObject(policy),
          path,
          value: undefined,
          message,
          remedy: "Correct it there, or take the policy out of spec.managedPolicies.",
        };
      }),
  );
}
