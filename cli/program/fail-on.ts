import type { Cost } from "#shared/domain/plan/cost.ts";

/** The values of `--fail-on`: conditions that make a check fail. The last four are costs, from low to high. */
export const failConditions = [
  "error",
  "warning",
  "difference",
  "reload",
  "drain",
  "reboot",
  "replace",
] as const satisfies readonly ("error" | "warning" | "difference" | Cost)[];

export type FailCondition = (typeof failConditions)[number];

/** The findings of a check. `cost` and `differs` are set only for a comparison. */
export type Findings = Readonly<{
  errors: number;
  warnings: number;
  differs?: boolean;
  cost?: Cost | "unknown";
}>;

function isMet(
  condition: FailCondition,
  { errors, warnings, differs = false, cost = "none" }: Findings,
): boolean {
  switch (condition) {
    case "error":
      return errors > 0;
    case "warning":
      return warnings > 0;
    case "difference":
      return differs || cost === "unknown";
    default:
      if (cost === "none") return false;
      return cost === "unknown" || failConditions.indexOf(cost) >= failConditions.indexOf(condition);
  }
}

/**
 * Returns the conditions that make a check fail. Errors always do: a comparison leaves out invalid objects, so that its
 * cost is meaningless.
 */
export function failedConditions(
  conditions: readonly FailCondition[],
  found: Findings,
): readonly FailCondition[] {
  return failConditions.filter(
    (condition) => (condition === "error" || conditions.includes(condition)) && isMet(condition, found),
  );
}
