import { expect, test } from "vitest";
import { inTurns, median, series } from "./measure.ts";

test.for([
  { name: "When there is one value, it should be that", values: [3], middle: 3 },
  { name: "When the number is odd, it should be the middle one, by size", values: [10, 9, 100], middle: 10 },
  {
    name: "When the number is even, it should be the mean of the middle two",
    values: [4, 1, 2, 100],
    middle: 3,
  },
])("$name", ({ values, middle }) => {
  expect(median(values)).toBe(middle);
});

test("When there is no value, it should throw", () => {
  expect(() => median([])).toThrow("no values");
});

test("When two things are measured in turns, they should alternate and keep their values apart", async () => {
  const order: string[] = [];
  const a = series(() => order.push("a"));
  const b = series(async () => order.push("b"));
  await inTurns(2, a, b);
  expect(order).toEqual(["a", "b", "a", "b"]);
  expect([a.values, b.values]).toEqual([
    [1, 3],
    [2, 4],
  ]);
});
