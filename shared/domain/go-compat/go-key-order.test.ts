import fc from "fast-check";
import { expect, test } from "vitest";
import { byGoKeyOrder } from "./go-key-order.ts";

// The order in which Go's own library wrote these keys.
test.for([
  ["A", "a", "a-b", "a.b", "a/b", "a9", "a10", "aa"],
  ["", "0", "1", "2", "10", "a"],
  ["a1", "a1b", "a1-", "a2"],
  ["a1", "a01", "a2", "a02"],
  ["v1.9", "v1.10", "v2"],
  ["*", "-ao", "<<", "T", "app.io/x", "app.io/y"],
] as const)("When keys are %j, it should keep this order from any other", (keys) => {
  expect([...keys].sort(byGoKeyOrder)).toEqual(keys);
  expect(keys.toReversed().sort(byGoKeyOrder)).toEqual(keys);
});

test("When two keys are swapped, the result should change its sign", () => {
  const key = fc.string({ unit: fc.constantFrom("a", "B", "0", "1", "9", "-", ".", "é", "٣") });
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(byGoKeyOrder(a, b))).toBe(-Math.sign(byGoKeyOrder(b, a)) || 0);
      expect(byGoKeyOrder(a, b) === 0).toBe(a === b);
    }),
  );
});
