import type { Condition } from "../kubernetes/conditions.ts";
import { conditionTypes } from "../precache-model/conditions.ts";
import { printable, sentence } from "../text/redact.ts";
import type { ManagedPolicies } from "./policies/managed-policies.ts";

/** Returns a condition. Possible credentials in its message are removed, because many users may read conditions. */
export const condition = <Reason extends string>(
  type: string,
  status: Condition["status"],
  reason: Reason,
  message: string,
): Condition & Readonly<{ reason: Reason }> => ({ type, status, reason, message: printable(message) });

export const clustersSelected = condition(
  conditionTypes.clustersSelected,
  "True",
  "ClusterSelectionCompleted",
  "All selected clusters are valid",
);
export const validated = condition(
  conditionTypes.validated,
  "True",
  "ValidationCompleted",
  "Completed validation",
);
export const specValid = condition(
  conditionTypes.precacheSpecValid,
  "True",
  "PrecacheSpecIsWellFormed",
  "Precaching spec is valid and consistent",
);
/** The condition that pre-caching is required and not done yet. */
export const notDone = condition(
  conditionTypes.precachingSucceeded,
  "False",
  "InProgress",
  "Precaching is required and not done",
);
/** Returns the condition that a ClusterGroupUpgrade is not validated: it has no valid plan. */
export const notValidated = <Reason extends string>(reason: Reason, message: string) =>
  condition(conditionTypes.validated, "False", reason, message);
/** Returns the condition that the pre-caching spec is incomplete; `message` says what is missing. */
export const specIncomplete = (message: string): Condition =>
  condition(
    conditionTypes.precacheSpecValid,
    "False",
    "PrecacheSpecIncomplete",
    sentence`Precaching spec is incomplete: ${message}`,
  );

const goList = (names: readonly string[]): string => `[${names.map(printable).join(" ")}]`;

/**
 * Returns the condition that managed policies are unusable; undefined if all are usable. Its message ends in a space,
 * as in TALM.
 */
export function policyProblem({ missing, invalid, ambiguous }: ManagedPolicies) {
  if (Object.keys(ambiguous).length > 0)
    return notValidated(
      "AmbiguousManagedPoliciesNames",
      sentence`Managed policy name should be unique, but was found in multiple namespaces: ${JSON.stringify(ambiguous)} `,
    );
  const reason = "NotAllManagedPoliciesExist";
  if (invalid.length > 0)
    return notValidated(reason, sentence`Invalid managed policies: ${goList(invalid)} `);
  if (missing.length > 0)
    return notValidated(reason, sentence`Missing managed policies: ${goList(missing)} `);
  return undefined;
}
