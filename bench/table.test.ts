import { expect, test } from "vitest";
import type { Row } from "./claim.ts";
import { table } from "./table.ts";

const row = { subject: "ours", against: "the peer", numbers: {} };

test.for<{ name: string; row: Row; smoke: boolean; cells: readonly string[] }>([
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
    cells: ["5.00", "≥ 5", "MISSED"],
  },
  {
    name: "When a ratio is over its upper bound, it should be missed",
    row: { ...row, ratio: 12.04, goal: { atMost: 12 } },
    smoke: false,
    cells: ["12.0", "≤ 12", "MISSED"],
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
    name: "When the sizes are small, it should not check the goal of a ratio that varies",
    row: { ...row, ratio: 1, goal: { atLeast: 5 } },
    smoke: true,
    cells: ["1.00", "≥ 5", "small run"],
  },
  {
    name: "When the sizes are small and the ratio is steady, a small miss should be allowed",
    row: { ...row, ratio: 1.25, goal: { atMost: 1 }, isSteady: true },
    smoke: true,
    cells: ["1.25", "≤ 1", "met"],
  },
  {
    name: "When the sizes are small and a steady ratio is far off, it should be missed",
    row: { ...row, ratio: 3.9, goal: { atLeast: 5 }, isSteady: true },
    smoke: true,
    cells: ["3.90", "≥ 5", "MISSED"],
  },
  {
    name: "When something cannot be measured, it should say why",
    row: { subject: "ours", against: "the peer", skipped: "Go is not on the PATH" },
    smoke: false,
    cells: ["-", "-", "skipped: Go is not on the PATH"],
  },
])("$name", ({ row, smoke, cells }) => {
  const [header = "", line = ""] = table([{ name: "claim", rows: [row] }], { smoke }).split("\n");
  expect(line.split(/ {2,}/)).toEqual(["claim", "ours", "the peer", ...cells]);
  expect(line.indexOf("the peer")).toBe(header.indexOf("AGAINST"));
});
