import { type BenchOptions, type Goal, type Row, verdict } from "./claim.ts";

/** The rows of one claim. */
export type ClaimResult = Readonly<{ name: string; goal: string; rows: readonly Row[] }>;

const header = ["CLAIM", "SUBJECT", "AGAINST", "RATIO", "GOAL", ""] as const;

/** Renders the results of all claims as one table. Each row of the table ends with its verdict. */
export function table(results: readonly Pick<ClaimResult, "name" | "rows">[], options: BenchOptions): string {
  const lines = results.flatMap(({ name, rows }) =>
    rows.map((row): readonly string[] => [
      name,
      row.subject,
      row.against,
      ...resultCells(name, row, options),
    ]),
  );
  const all = [header, ...lines];
  const widths = header.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function resultCells(name: string, row: Row, options: BenchOptions): readonly string[] {
  if ("skipped" in row) return ["-", "-", `skipped: ${row.skipped}`];
  return [row.ratio.toFixed(row.ratio < 10 ? 2 : 1), goalText(row.goal), verdict(name, row, options)];
}

function goalText(goal: Goal | undefined): string {
  if (!goal) return "-";
  const [sign, bound] = "atLeast" in goal ? ["≥", goal.atLeast] : ["≤", goal.atMost];
  return `${sign} ${Number(bound.toPrecision(3))}`;
}
