import fc from "fast-check";
import { expect, test } from "vitest";
import { processorSeconds } from "../../../test/support/setup/processor-seconds.ts";
import { indexScopes, isNested, ScopeIndex } from "./scope.ts";

test.for<[sub: string, outer: string, nested: boolean]>([
  ["a.io", "a.io", true],
  ["a.io/ns", "a.io", true],
  ["a.io/ns/b", "a.io/ns", true],
  ["a.io:5000", "a.io", false],
  ["a.ions", "a.io", false],
  ["a.io", "a.io/ns", false],
  ["x.a.io", "*.a.io", true],
  ["*.x.a.io", "*.a.io", true],
  ["*.a.io", "*.a.io", true],
  ["x.a.io/ns", "*.a.io", true],
  ["x.a.io:5000/ns", "*.a.io", true],
  ["x.a.io:5000", "*.a.io", true],
  ["a.io", "*.a.io", false],
  ["xa.io", "*.a.io", false],
  ["quay.io/bar.foo", "*.foo", false],
  ["quay.io/bar.foo:400", "*.foo", false],
  ["x.io/ns:tag", "*.io", false],
  ["/a", "", true],
  ["a", "", false],
  ["/a.io", "*.io", false],
  [":a.io", "*.io", false],
  ["/a.io:5000", "*.io", false],
  ["*.a.io", "a.io", false],
  ["*.a.io", "x.a.io", false],
])("When %s is compared with %s, it should be nested: %s", ([sub, outer, nested]) => {
  expect(isNested(sub, outer)).toBe(nested);
  expect(indexScopes([outer]).covers(sub)).toBe(nested);
});

test("When an index holds no scope, it should be empty", () => {
  expect(indexScopes([]).isEmpty).toBe(true);
  expect(indexScopes(["a.io"]).isEmpty).toBe(false);
});

const part = fc.constantFrom("a", "b", "*", ".", ".io", "/", "/n", ":", ":5");
const scope = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));

test("When scopes are looked up in an index, it should find the same as a comparison with each", () => {
  fc.assert(
    fc.property(scope, fc.uniqueArray(scope, { maxLength: 12 }), (sub, outers) => {
      expect(indexScopes(outers).covers(sub)).toBe(outers.some((outer) => isNested(sub, outer)));
      const enclosing = new ScopeIndex(outers.map((outer) => [outer, outer])).enclosing(sub);
      expect([...new Set(enclosing)].sort()).toEqual(
        outers.filter((outer) => outer !== sub && isNested(sub, outer)).sort(),
      );
    }),
    { numRuns: 5000 },
  );
});

test("When a scope has a million slashes, it should be looked up within a second", () => {
  const deep = `a.io${"/b".repeat(500_000)}`;
  const seconds = processorSeconds(() => {
    expect(indexScopes(["a.io/b/b", "*.io"]).covers(deep)).toBe(true);
    expect(indexScopes(["z.io", deep]).covers(`${deep}/c`)).toBe(true);
  });
  expect(seconds).toBeLessThan(1);
});
