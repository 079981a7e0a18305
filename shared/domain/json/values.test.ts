import { expect, test } from "vitest";
import { typeName } from "./values.ts";

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
