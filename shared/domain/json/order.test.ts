import { expect, test } from "vitest";
import { byCodePoint, byCodeUnit } from "./order.ts";

test.for([
  { a: "a", b: "a.b", expected: -1 },
  { a: "a.b", b: "a=", expected: -1 },
  { a: "b", b: "a", expected: 1 },
  { a: "ab", b: "a", expected: 1 },
  { a: "a", b: "a", expected: 0 },
  { a: "\uffee", b: "😀", expected: -1 },
])("When $a and $b are compared by code point, the sign should be $expected", ({ a, b, expected }) => {
  expect(Math.sign(byCodePoint(a, b))).toBe(expected);
});

test("When a character is beyond U+FFFF, code units should order it otherwise", () => {
  expect(byCodeUnit("\uffee", "😀")).toBe(1);
});
