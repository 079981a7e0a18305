import { expect, test } from "vitest";
import type { Row } from "./claim.ts";
import { knownMisses } from "./known-misses.ts";
import { table } from "./table.ts";

const row = { subject: "ours", against: "the peer", measures: "processor time", numbers: {} } as const;

test.for<{ name: string; claim?: string; row: Row; smoke: boolean; cells: readonly string[] }>([
  {
    name: "When a ratio is over its lower bound, it should be met",
    row: { ...row, ratio: 5, goal: { atLeast: 5 } },
    smoke: false,
    cells: ["5.00", "≥ 5", "met"],
  },
  {
    name: "When a ratio is short of its lower bound by less than it shows, it should be missed",
    row: { ...row, ratio: 4.999, goal: { atLeast: 5 } },
    smoke: false,
    cells: ["5.00", "≥ 5", "missed"],
  },
  {
    name: "When a ratio is over its upper bound, it should be missed",
    row: { ...row, ratio: 12.04, goal: { atMost: 12 } },
    smoke: false,
    cells: ["12.0", "≤ 12", "missed"],
  },
  {
    name: "When a bound is a quotient, it should be shown with three digits",
    row: { ...row, ratio: 0.05, goal: { atMost: 3.3 / 62 } },
    smoke: false,
    cells: ["0.05", "≤ 0.0532", "met"],
  },
  {
    name: "When a ratio has no goal, it should be shown without one",
    row: { ...row, ratio: 0.3 },
    smoke: false,
    cells: ["0.30", "-"],
  },
  {
    name: "When the sizes are small, it should not judge a goal of the full size",
    row: { ...row, ratio: 1, goal: { atLeast: 5 }, needsFullSize: true },
    smoke: true,
    cells: ["1.00", "≥ 5", "small run"],
  },
  {
    name: "When the sizes are small, a small miss should be allowed",
    row: { ...row, ratio: 1.25, goal: { atMost: 1 } },
    smoke: true,
    cells: ["1.25", "≤ 1", "met"],
  },
  {
    name: "When the sizes are small and a ratio is far off, it should be missed",
    row: { ...row, ratio: 3.9, goal: { atLeast: 5 } },
    smoke: true,
    cells: ["3.90", "≥ 5", "missed"],
  },
  {
    name: "When a goal of wall time is missed, it should only be reported",
    row: { ...row, ratio: 2, measures: "wall time", goal: { atMost: 1 } },
    smoke: false,
    cells: ["2.00", "≤ 1", "missed, wall time"],
  },
  ...knownMisses.map(({ claim, subject }) => ({
    name: `When the known miss of ${claim} is missed, it should be named as known`,
    claim,
    row: { ...row, subject, ratio: 2, goal: { atMost: 1 } },
    smoke: false,
    cells: ["2.00", "≤ 1", "missed, known"],
  })),
  {
    name: "When something cannot be measured, it should say why",
    row: { subject: "ours", against: "the peer", skipped: "Go is not on the PATH" },
    smoke: false,
    cells: ["-", "-", "skipped: Go is not on the PATH"],
  },
])("$name", ({ claim = "claim", row, smoke, cells }) => {
  const [header = "", line = ""] = table([{ name: claim, rows: [row] }], { smoke }).split("\n");
  expect(line.split(/ {2,}/)).toEqual([claim, row.subject.trim(), "the peer", ...cells]);
  expect(line.indexOf("the peer")).toBe(header.indexOf("AGAINST"));
});
