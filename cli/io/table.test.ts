import { expect, test } from "vitest";
import { painted } from "./safe-text.ts";
import { table } from "./table.ts";

test("When rows differ in width, it should align all columns but the last", () => {
  expect(
    table([
      ["A", "LONGER", "C"],
      ["abc", "b", "it runs on"],
    ]).toString(),
  ).toBe("A    LONGER  C\nabc  b       it runs on\n");
});

test("When a cell is painted, its colour should not count as width", () => {
  const terminal = Object.assign(Object.create(process.stdout), {
    isTTY: true,
    getColorDepth: () => 8,
    hasColors: () => true,
  });
  expect(
    table([
      [painted("red", "a"), "x"],
      ["bb", "y"],
    ]).for(terminal),
  ).toBe("\u001b[31ma\u001b[39m   x\nbb  y\n");
});

test("When a row ends with empty cells, it should have no trailing spaces", () => {
  expect(
    table([
      ["a", ""],
      ["", ""],
    ]).toString(),
  ).toBe("a\n\n");
});
