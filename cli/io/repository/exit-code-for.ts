import { counted } from "#shared/domain/text/human-readable.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { type FailCondition, type Findings, failedConditions } from "../../program/fail-on.ts";
import { printMessage, safe } from "../safe-text.ts";

function reasonOf(condition: FailCondition, { warnings, cost = "none" }: Findings): string {
  if (condition === "warning") return counted(warnings, "warning");
  if (cost === "unknown") return "what changes on nodes is not known";
  return condition === "difference" ? "the two sides differ" : `the change costs ${cost}`;
}

/** Returns the exit code for the findings of a check. Prints the failed conditions, except `error`. */
export function exitCodeFor(found: Findings, conditions: readonly FailCondition[]): number {
  const failed = failedConditions(conditions, found);
  for (const condition of failed)
    if (condition !== "error") printMessage(safe`fails on ${condition}: ${reasonOf(condition, found)}.`);
  return failed.length > 0 ? exitCodes.issues : exitCodes.fine;
}
