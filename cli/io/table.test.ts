import { expect, test } from "vitest";
import { painted, safe } from "./safe-text.ts";
import { table } from "./table.ts";

const terminal = Object.assign(Object.create(process.stdout), {
  isTTY: true,
  getColorDepth: () => 8,
  hasColors: () => true,
});

test("When rows differ in width, it should align all columns but the last", () => {
  expect(
    table([
      ["A", "LONGER", "C"],
      ["abc", "b", "it runs on"],
    ]).toString(),
  ).toBe("A    LONGER  C\nabc  b       it runs on\n");
});

test("When a cell is painted, its colour should not count as width", () => {
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

test("When the terminal is too narrow, it should break the last column between words", () => {
  const rows = [
    ["NAME", "WHY"],
    ["one", "it runs on and on, past the end of the line"],
  ];
  expect(table(rows, 30).toString()).toBe(
    ["NAME  WHY", "one   it runs on and on, past", "      the end of the line", ""].join("\n"),
  );
});

test("When a word is longer than the line, it should stay whole", () => {
  expect(table([["one", "see registry.example.com/ns/app now"]], 26).toString()).toBe(
    ["one  see", "     registry.example.com/ns/app", "     now", ""].join("\n"),
  );
});

test("When the other columns leave no room, the last should follow below", () => {
  expect(table([["a-very-long-name", "Ready", "it waits for its window"]], 30).toString()).toBe(
    ["a-very-long-name  Ready", "    it waits for its window", ""].join("\n"),
  );
});

test("When painted words are broken, each should keep its colour", () => {
  const [first, second] = safe`${painted("red", "one two")}`.words();
  expect([first?.for(terminal), second?.for(terminal)]).toEqual([
    "\u001b[31mone\u001b[39m",
    "\u001b[31mtwo\u001b[39m",
  ]);
});

test("When a row has more cells than the one before, it should keep its columns", () => {
  expect(
    table(
      [
        ["a", "b"],
        ["cc", "d", "e"],
      ],
      80,
    ).toString(),
  ).toBe("a   b\ncc  d  e\n");
});

test("When the other columns are too wide, the widest should be broken between words too", () => {
  const rows = [
    ["NAME", "START", "LONG"],
    ["night", "2026-11-24 01:00 Europe/Oslo", "3h"],
  ];
  expect(table(rows, 24).toString()).toBe(
    ["NAME   START        LONG", "night  2026-11-24   3h", "       01:00", "       Europe/Oslo", ""].join(
      "\n",
    ),
  );
});
