import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameJson } from "./same-json.ts";

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
