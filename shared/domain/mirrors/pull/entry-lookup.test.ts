import fc from "fast-check";
import { expect, test } from "vitest";
import { isWildcard } from "../../images/scope.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import { EntryLookup, findEntry } from "./pull-sources.ts";

const entryOf = (scope: string) => (isWildcard(scope) ? anEntry("", { prefix: scope }) : anEntry(scope));

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
      const entries = scopes.map(entryOf);
      expect(new EntryLookup(entries).find(reference)).toBe(findEntry(entries, reference));
    }),
    { numRuns: 5000 },
  );
});
