import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { type ClaimResult, table } from "./table.ts";

const goal = z.union([z.object({ atLeast: z.number() }), z.object({ atMost: z.number() })]);
const row = z.object({
  subject: z.string(),
  against: z.string(),
  ratio: z.number(),
  measures: z.enum(["processor time", "count", "bytes", "wall time"]),
  goal: goal.exactOptional(),
  numbers: z.record(z.string(), z.number()),
});
const schema = z.array(
  z.object({
    name: z.string(),
    /** The day and the machine of the run, such as `2026-11-26, Node v24.21.0, 2 cores, load 0.3`. */
    measured: z.string(),
    rows: z.array(row),
  }),
);

/** The last results of each claim. contributing/performance.md has tables of these results. */
export type Recorded = z.infer<typeof schema>;

const file = join(import.meta.dirname, "results.json");

export function recordedResults(): Recorded {
  return schema.parse(JSON.parse(readFileSync(file, "utf8")));
}

/**
 * Returns the recorded results with new results in place of earlier ones, in the order of `names`. A claim keeps its
 * recorded result if one of its new rows could not be measured.
 */
export function withNew(
  recorded: Recorded,
  results: readonly ClaimResult[],
  measured: string,
  names: readonly string[],
): Recorded {
  const byName = new Map(recorded.map((one) => [one.name, one]));
  for (const { name, rows } of results) {
    const all = rows.flatMap((one) => ("ratio" in one ? [row.parse(one)] : []));
    if (all.length === rows.length) byName.set(name, { name, measured, rows: all });
  }
  return names.flatMap((name) => byName.get(name) ?? []);
}

/** Writes results to the record. `load` is the load of the machine before the run. */
export function record(results: readonly ClaimResult[], names: readonly string[], load: number): void {
  const now = new Date().toISOString().slice(0, "2026-11-26".length);
  const measured = `${now}, Node ${process.version}, ${availableParallelism()} cores, load ${load.toFixed(1)}`;
  const recorded = withNew(recordedResults(), results, measured, names);
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
  for (const { name, rows } of results)
    if (rows.some((one) => "skipped" in one)) console.error(`${name}: not recorded, a row was skipped`);
}

/** Returns the part of contributing/performance.md that is made from the recorded results. */
export function performanceTables(recorded: Recorded): string {
  const byRun = Map.groupBy(recorded, ({ measured }) => measured);
  const runs = [...byRun].map(
    ([run, claims]) => `- ${run}: ${claims.map(({ name }) => `\`${name}\``).join(", ")}`,
  );
  return ["```text", table(recorded, { smoke: false }), "```", "", "Measured:", "", ...runs].join("\n");
}
