import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWildcard } from "../../images/scope.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import { EntryLookup, findEntry, matchLength } from "./pull-sources.ts";

const entryOf = (scope: string) =>
  anEntry(isWildcard(scope) ? "" : scope, { prefix: isWildcard(scope) ? scope : "" });

/* Which entry decides, and its locations, are compared with containers/image in test/parity/resolve.test.ts. */

describe("matchLength", () => {
  test.for<[reference: string, scope: string, length: number]>([
    ["a.io/x", "a.io", 4],
    ["a.io/x", "a.io/x", 6],
    ["a.io/x:tag", "a.io/x", 6],
    ["a.io/x@sha256:d", "a.io/x", 6],
    ["a.io:5000/x", "a.io", 4],
    ["a.ions/x", "a.io", -1],
    ["a.io/xy", "a.io/x", -1],
    ["a.io", "a.io/x", -1],
    ["x.a.io/y", "*.a.io", 6],
    ["x.a.io:5000/y", "*.a.io", 6],
    ["x.a.io", "*.a.io", 6],
    ["a.io/y", "*.a.io", -1],
    [".a.io/y", "*.a.io", 5],
    ["q.io/x.a.io", "*.a.io", -1],
    ["x.a.io.b/y", "*.a.io", -1],
    // The first occurrence decides, although a later one would fit.
    ["x.io.b.io/y", "*.io", -1],
  ])("When %s is matched with %s, it should return %d", ([text, scope, length]) => {
    expect(matchLength(text, scope)).toBe(length);
  });
});

describe("EntryLookup", () => {
  test.for<[reference: string, scope: string]>([
    ["x.a.io/n", "*.a.io"],
    ["x.a.io/n", "*.io"],
    ["x.a.io", "*.io"],
    ["x.a.io:5000/n", "*.io"],
    ["a.io/n@sha256", "a.io/n"],
  ])("When %s is looked up, it should find %s", ([reference, scope]) => {
    const entry = entryOf(scope);
    expect(new EntryLookup([entryOf("b.io"), entry]).find(reference)).toBe(entry);
  });

  const part = fc.constantFrom("a", "b", ".", ".io", "/", "/n", ":5", "@");
  const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
  const scope = fc
    .tuple(fc.boolean(), name)
    .map(([wildcard, text]) => (wildcard ? `*.${text.replace(/[:/@]/g, "")}` : text));

  test("When a reference is looked up, it should find the same entry as a comparison with each", () => {
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 8 }), name, (scopes, reference) => {
        const entries = scopes.map((one) => entryOf(one));
        expect(new EntryLookup(entries).find(reference)).toBe(findEntry(entries, reference));
      }),
      { numRuns: 1000 },
    );
  });
});
