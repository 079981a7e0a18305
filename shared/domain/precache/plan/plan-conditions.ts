import type { Condition } from "../../kubernetes/conditions.ts";
import { conditionTypes } from "../model/conditions.ts";
import type { ManagedPolicies } from "./policies/managed-policies.ts";

/** A condition in one line. */
export const condition = (
  type: string,
  status: Condition["status"],
  reason: string,
  message: string,
): Condition => ({ type, status, reason, message });

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
/** What is told until the first cluster is on its way. */
export const notDone = condition(
  conditionTypes.precachingSucceeded,
  "False",
  "InProgress",
  "Precaching is required and not done",
);
/** The condition of a ClusterGroupUpgrade that is refused as a whole. */
export const notValidated = (reason: string, message: string): Condition =>
  condition(conditionTypes.validated, "False", reason, message);
/** The condition of a spec that cannot be pre-cached. */
export const specIncomplete = (message: string): Condition =>
  condition(
    conditionTypes.precacheSpecValid,
    "False",
    "PrecacheSpecIncomplete",
    `Precaching spec is incomplete: ${message}`,
  );

/** Go's way to print a list. */
const goList = (names: readonly string[]): string => `[${names.join(" ")}]`;

/** Why the managed policies cannot be used, with the blank that TALM leaves at the end. */
export function policyProblem({ missing, invalid, ambiguous }: ManagedPolicies): Condition | undefined {
  if (Object.keys(ambiguous).length > 0)
    return notValidated(
      "AmbiguousManagedPoliciesNames",
      `Managed policy name should be unique, but was found in multiple namespaces: ${JSON.stringify(ambiguous)} `,
    );
  const reason = "NotAllManagedPoliciesExist";
  if (invalid.length > 0) return notValidated(reason, `Invalid managed policies: ${goList(invalid)} `);
  if (missing.length > 0) return notValidated(reason, `Missing managed policies: ${goList(missing)} `);
  return undefined;
}
