import { expect, test } from "vitest";
import { hasRepeats } from "./rules.ts";

const distinct = (length: number) => Array.from({ length }, (_, index) => `m${index}`);

test.for([0, 1, 2, 3, 15, 16, 17, 40])("When there are %i names, it should find any repeat", (length) => {
  const names = distinct(length);
  expect(hasRepeats(names)).toBe(false);
  for (let first = 0; first < length; first++) {
    for (let second = first + 1; second < length; second++) {
      expect(hasRepeats(names.with(second, `m${first}`))).toBe(true);
    }
  }
});
