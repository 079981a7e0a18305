import { compareSides } from "#shared/domain/diff/compare-sides.ts";
import { diffReport } from "#shared/domain/diff/diff-report.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { refusingUnknown } from "#shared/domain/issues/unknown-fields.ts";
import { withoutRepeats } from "#shared/domain/json/same-json.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { changedLogins } from "./changed-logins.ts";
import { costMarkdown } from "./cost-markdown.ts";
import { diffTable } from "./cost-table.ts";
import { type GivenSide, readSide } from "./diff-side.ts";
import { givenVersion, type ReleaseOptions } from "./release-input.ts";
import {
  otherMachineConfigs,
  type RenderedSide,
  type RenderSideOptions,
  renderSide,
  withClusterMachineConfigs,
} from "./render-side.ts";

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
 * Renders the old side. What machine-config-operator refuses as a whole was in effect in parts at best: then the valid
 * rules count.
 */
async function renderOldSide(given: GivenSide, options: RenderSideOptions): Promise<RenderedSide> {
  const rendered = await renderSide(given, options);
  if (rendered.side || !options.compat) return rendered;
  const { compat: _refuses, ...lenient } = options;
  return { ...(await renderSide(given, lenient)), issues: rendered.issues };
}

/**
 * Runs `hubrelay diff`: prints the changes between two sides and their cost for each node on standard output, issues of
 * the new side on standard error; those of the old side only if it cannot be rendered. Returns the exit code, which
 * follows the new side; a change is not an error.
 */
export async function diff(
  before: string,
  after: string,
  { output, compat, issues: format, now: at = new Date(), ...release }: DiffOptions,
): Promise<number> {
  if (before === "-" && after === "-") throw new UsageError("only one side can be standard input");
  const options = { release, ...(compat ? { compat } : {}) };
  const read = { before: await readSide(before), after: await readSide(after) };
  const givenBefore = withClusterMachineConfigs(read.before, read.after);
  const givenAfter = withClusterMachineConfigs(read.after, read.before);
  const judged = (side: RenderedSide): RenderedSide =>
    compat ? side : { ...side, issues: refusingUnknown(side.issues) };
  const old = judged(await renderOldSide(givenBefore, options));
  const previous = old.side?.filesOf("worker");
  const now = judged(await renderSide(givenAfter, { ...options, ...(previous ? { previous } : {}) }));
  const report = (given: GivenSide, issues: readonly Issue[]) =>
    printIssues(placeIn(given, withoutRepeats(issues)), format);
  if (!old.side || !now.side) {
    if (!old.side) report(givenBefore, old.issues);
    report(givenAfter, now.issues);
    return exitCodes.issues;
  }
  const { report: costs, issues, releases } = compareSides(old.side, now.side, at, givenVersion(release));
  const others = [...otherMachineConfigs(old.side, now.side), ...changedLogins(old.side, now.side)];
  const exitCode = report(givenAfter, [...now.issues, ...issues, ...others]);
  const found = diffReport(
    costs,
    { name: before, side: old.side, issues: old.issues },
    { name: after, side: now.side, issues: now.issues },
    releases,
  );
  print(rendered(found, output, output === "markdown" ? costMarkdown : diffTable));
  return exitCode;
}
