import { expect, test } from "vitest";
import { table } from "./table.ts";

test("When rows differ in width, it should align all columns but the last", () => {
  expect(
    table([
      ["A", "LONGER", "C"],
      ["abc", "b", "it runs on"],
    ]),
  ).toBe("A    LONGER  C\nabc  b       it runs on\n");
});

test("When a cell is painted, its colour should not count as width", () => {
  const loud = { text: "a", paint: (text: string) => `<<${text}>>` };
  expect(
    table([
      [loud, "x"],
      ["bb", "y"],
    ]),
  ).toBe("<<a>>   x\nbb  y\n");
});

test("When a row ends with empty cells, it should have no blanks at its end", () => {
  expect(
    table([
      ["a", ""],
      ["", ""],
    ]),
  ).toBe("a\n\n");
});
