import { compareSides } from "#shared/domain/diff/compare-sides.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/json/same-json.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { costMarkdown } from "./cost-markdown.ts";
import { costTable } from "./cost-table.ts";
import { type GivenSide, readSide } from "./diff-side.ts";
import type { ReleaseOptions } from "./release-input.ts";
import { otherMachineConfigs, renderSide } from "./render-side.ts";

export type DiffOptions = Readonly<{
  output: "table" | "markdown" | StructuredFormat;
  compat?: "mco";
  issues: "text" | "json";
  /** Time of the change; absent: now. */
  now?: Date;
}> &
  ReleaseOptions;

const placeIn = (side: GivenSide, issues: readonly Issue[]): readonly Issue[] =>
  "place" in side ? side.place(issues) : issues;

/**
 * Runs `hubrelay diff`: prints the changes between two sides and their cost for each node on standard output, issues of
 * both sides on standard error. Prints nothing if one side cannot be rendered. Returns the exit code; a change is not an
 * error.
 */
export async function diff(
  before: string,
  after: string,
  { output, compat, issues: format, now: at = new Date(), ...release }: DiffOptions,
): Promise<number> {
  if (before === "-" && after === "-") throw new UsageError("only one side can be standard input");
  const options = { release, ...(compat ? { compat } : {}) };
  const givenBefore = await readSide(before);
  const old = await renderSide(givenBefore, options);
  const previous = old.side?.filesOf("worker");
  const givenAfter = await readSide(after);
  const now = await renderSide(givenAfter, {
    ...options,
    ...(previous ? { previous } : {}),
  });
  const found = [...old.issues, ...now.issues];
  /** Both sides often have the same issues: then the place is that of the new side. */
  const report = (issues: readonly Issue[]): number =>
    printIssues(placeIn(givenBefore, placeIn(givenAfter, withoutRepeats(issues))), format);
  if (!old.side || !now.side) {
    report(found);
    return exitCodes.issues;
  }
  const { report: comparison, issues } = compareSides(old.side, now.side, at);
  const others = otherMachineConfigs(old.side, now.side);
  const exitCode = report([...found, ...issues, ...others]);
  if (output === "table") print(costTable(comparison));
  else print(output === "markdown" ? costMarkdown(comparison) : structured(comparison, output));
  return exitCode;
}
