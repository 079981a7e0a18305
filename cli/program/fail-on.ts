import { type Cost, costs, exceeds } from "#shared/domain/plan/cost.ts";

const gatedCosts = costs.filter((cost) => cost !== "none");

/** What may make a check fail, as `--fail-on` names it. */
export const failConditions = ["error", "warning", "difference", ...gatedCosts] as const;

export type FailCondition = (typeof failConditions)[number];

/** What a check found; `cost` and `differs` only where two sides were compared. A cost that is not known may be any. */
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
      return cost === "unknown" || cost === condition || exceeds(cost, condition);
  }
}

/**
 * Returns the conditions that make a check fail; a cost stands for every higher one. Errors always do: what is invalid is left
 * out of a comparison, whose cost says nothing then.
 */
export function failedConditions(
  conditions: readonly FailCondition[],
  found: Findings,
): readonly FailCondition[] {
  return failConditions.filter(
    (condition) => (condition === "error" || conditions.includes(condition)) && isMet(condition, found),
  );
}
