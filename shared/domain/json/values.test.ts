import { expect, test } from "vitest";
import { someOf, typeName } from "./values.ts";

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
  { names: ["a", "b"], most: 2, text: "a, b" },
  { names: ["a", "b", "c", "d"], most: 2, text: "a, b and 2 more" },
])("When at most $most of $names are named, it should read $text", ({ names, most, text }) => {
  expect(someOf(names, most)).toBe(text);
});
