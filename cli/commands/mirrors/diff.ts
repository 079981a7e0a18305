import { compareSides, type Side } from "#shared/domain/diff/compare-sides.ts";
import { nodePaths } from "#shared/domain/machine-config/node-file.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print } from "../../io/safe-text.ts";
import { type StructuredFormat, structured } from "../../io/structured-output.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { costTable } from "./cost-table.ts";
import { readSide } from "./diff-side.ts";
import { otherMachineConfigs, renderSide } from "./render-side.ts";

export type DiffOptions = Readonly<{
  output: "table" | StructuredFormat;
  compat?: "mco";
  issues: "text" | "json";
  /** Time of the change. */
  now: Date;
}>;

function registriesConfOf(side: Side | undefined): string | undefined {
  return side?.filesOf("worker").find(({ path }) => path === nodePaths.registriesConf)?.contents;
}

/**
 * Runs `hubrelay diff`: prints the changes between two sides and their cost for each node on standard output, issues of
 * both sides on standard error. Prints nothing if one side cannot be rendered. Returns the exit code; a change is not an
 * error.
 */
export async function diff(
  before: string,
  after: string,
  { output, compat, issues: format, now: at }: DiffOptions,
): Promise<number> {
  if (before === "-" && after === "-") throw new UsageError("only one side can be standard input");
  const options = compat ? { compat } : {};
  const old = renderSide(await readSide(before), options);
  const previous = registriesConfOf(old.side);
  const now = renderSide(await readSide(after), {
    ...options,
    ...(previous === undefined ? {} : { previous }),
  });
  const found = [...old.issues, ...now.issues];
  if (!old.side || !now.side) {
    printIssues(found, format);
    return exitCodes.issues;
  }
  const { report, issues } = compareSides(old.side, now.side, at);
  const others = otherMachineConfigs(old.side, now.side);
  const exitCode = printIssues([...found, ...issues, ...others], format);
  print(output === "table" ? costTable(report) : structured(report, output));
  return exitCode;
}
