import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryLookup } from "./entry-lookup.ts";
import { findEntry } from "./pull-sources.ts";
import { isWildcard } from "./scope.ts";

const part = fc.constantFrom("a", "b", ".", ".io", "/", "/n", ":5", "@");
const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
const scope = fc
  .tuple(fc.boolean(), name)
  .map(([wildcard, text]) => (wildcard ? `*.${text.replace(/[:/@]/g, "")}` : text));

test("When a reference is looked up, it should find the entry that comparing with every entry finds", () => {
  fc.assert(
    fc.property(fc.array(scope, { maxLength: 8 }), name, (scopes, reference) => {
      const entries = scopes.map((text) => ({
        prefix: isWildcard(text) ? text : "",
        location: isWildcard(text) ? "" : text,
        insecure: false,
        blocked: false,
        mirrorByDigestOnly: false,
        mirrors: [],
      }));
      expect(new EntryLookup(entries).find(reference)).toBe(findEntry(entries, reference));
    }),
    { numRuns: 5000 },
  );
});
