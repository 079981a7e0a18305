import { expect, test } from "vitest";
import { performanceTables, type Recorded, withNew } from "./record.ts";

const row = {
  subject: "ours",
  against: "the peer",
  ratio: 2,
  measures: "count" as const,
  numbers: { subjectMs: 1, peerMs: 2 },
};
const earlier: Recorded = [
  { name: "events", measured: "2026-01-01", rows: [{ ...row, ratio: 1 }] },
  { name: "version", measured: "2026-01-01", rows: [row] },
];
const names = ["cold-start", "events", "version"];

test("When some claims are measured, the others should keep their results, in the order of the claims", () => {
  const results = ["version", "cold-start"].map((name) => ({
    name,
    goal: "faster",
    rows: [{ ...row, ratio: 3 }],
  }));
  const recorded = withNew(earlier, results, "2026-02-02", names);
  expect(recorded.map(({ name, measured, rows }) => [name, measured, rows[0]?.ratio])).toEqual([
    ["cold-start", "2026-02-02", 3],
    ["events", "2026-01-01", 1],
    ["version", "2026-02-02", 3],
  ]);
});

test("When a row cannot be measured here, its claim should keep what was recorded", () => {
  const skipped = { subject: "ours", against: "the peer", skipped: "Go is not on the PATH" };
  const results = [{ name: "events", goal: "fast", rows: [{ ...row, ratio: 9 }, skipped] }];
  expect(withNew(earlier, results, "2026-02-02", names)).toEqual(earlier);
});

test("When results are of several runs, the page should show every row, and each run with its claims", () => {
  const [first, second] = earlier.map((claim, index) => ({ ...claim, measured: `run ${index}` }));
  const lines = performanceTables([first, second].filter((one) => one !== undefined)).split("\n");
  expect(lines.filter((line) => line.includes("the peer"))).toHaveLength(2);
  expect(lines.slice(-2)).toEqual(["- run 0: `events`", "- run 1: `version`"]);
});
