import { expect, test } from "vitest";
import { isLongerThan } from "./json-size.ts";

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
