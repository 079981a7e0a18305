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
  { names: ["a", "b"], max: 2, text: "a, b" },
  { names: ["a", "b", "c", "d"], max: 2, text: "a, b and 2 more" },
])("When at most $max of $names are named, it should read $text", ({ names, max, text }) => {
  expect(someOf(names, max)).toBe(text);
});
