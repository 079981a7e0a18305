import fc from "fast-check";
import { expect, test } from "vitest";
import { byCodePoint, byCodeUnit, isLongerThan, isSameJson, someOf, typeName } from "./values.ts";

test.for<[value: unknown, name: string]>([
  [null, "null"],
  [[], "a list"],
  [{}, "an object"],
  ["x", "a string"],
  [1, "a number"],
  [true, "a boolean"],
])("When the value is %j, it should be called %s", ([value, name]) => {
  expect(typeName(value)).toBe(name);
});

test.for([
  { names: ["a", "b"], max: 2, text: "a, b" },
  { names: ["a", "b", "c", "d"], max: 2, text: "a, b and 2 more" },
])("When at most $max of $names are named, it should read $text", ({ names, max, text }) => {
  expect(someOf(names, max)).toBe(text);
});

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

test.for<[a: unknown, b: unknown, same: boolean]>([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1, c: 2 }, false],
  [{ a: undefined }, {}, false],
  [[], {}, false],
  [null, {}, false],
  ["1", 1, false],
])("When %j and %j are compared, it should return %s", ([a, b, same]) => {
  expect(isSameJson(a, b)).toBe(same);
  expect(isSameJson(b, a)).toBe(same);
});

test("When any JSON value is written and read again, it should be the same", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(isSameJson(JSON.parse(text), JSON.parse(text))).toBe(true);
    }),
  );
});

test.each([
  { what: "a text", value: "a".repeat(98) },
  { what: "a list", value: Array.from({ length: 33 }, () => 12) },
  {
    what: "a record",
    value: Object.fromEntries(Array.from({ length: 9 }, (_, key) => [`key-${key}`, null])),
  },
  { what: "nested values", value: { a: [{ b: ["c", true, 1.5] }, {}] } },
])("When $what is compared with its length as JSON, it should be at most two characters off", ({ value }) => {
  const { length } = JSON.stringify(value);
  expect(isLongerThan(value, length + 2)).toBe(false);
  expect(isLongerThan(value, length - 3)).toBe(true);
});

test("When one text is shared a million times, it should stop at the limit", () => {
  const text = "a".repeat(1_000_000);
  expect(
    isLongerThan(
      Array.from({ length: 1_000_000 }, () => text),
      3_000_000,
    ),
  ).toBe(true);
});
