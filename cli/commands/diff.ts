import type { Issue } from "#shared/domain/issue.ts";
import { nodePaths } from "#shared/domain/machine-config/node-file.ts";
import { compareSides, type Side } from "#shared/domain/node-cost/compare-sides.ts";
import { costTable } from "../cost-table.ts";
import { readSide } from "../diff-side.ts";
import { exitCodes } from "../exit-codes.ts";
import { tellIssues } from "../issue-text.ts";
import { otherMachineConfigs, renderSide } from "../render-side.ts";
import { print } from "../safe-text.ts";
import { type StructuredFormat, structured } from "../structured-output.ts";
import { UsageError } from "../usage-error.ts";

export type DiffOptions = Readonly<{
  output: "table" | StructuredFormat;
  compat?: "mco";
  issues: "text" | "json";
  /** When the change would be made. */
  now: Date;
}>;

/** Both sides often have the same mistakes: each is told once. */
function withoutRepeats(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}

function registriesConfOf(side: Side | undefined): string | undefined {
  return side?.filesOf("worker").find(({ path }) => path === nodePaths.registriesConf)?.contents;
}

/**
 * `hubrelay diff`: what changes from one side to the other and what that costs each node, on standard output;
 * issues of both sides on standard error. Prints nothing when one side would not be rendered at all. Answers the
 * exit code; changes alone are no error.
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
    tellIssues(withoutRepeats(found), format);
    return exitCodes.issues;
  }
  const { report, issues } = compareSides(old.side, now.side, at);
  const others = otherMachineConfigs(old.side, now.side);
  const exitCode = tellIssues(withoutRepeats([...found, ...issues, ...others]), format);
  print(output === "table" ? costTable(report) : structured(report, output));
  return exitCode;
}
