import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeRegistriesConf, type RegistryEntry } from "../../mirrors/registries-conf/registries-conf.ts";
import { costs } from "../../plan/cost.ts";
import { costOfChange } from "./cost-of-change.ts";
import {
  namespaced,
  policyJson,
  registriesConf,
  search,
  searchDropIn,
  sigstore,
  withMirror,
} from "./fixtures.ts";

const anEntry = fc.record({
  prefix: fc.constantFrom("", "", "", "*.a.io"),
  location: fc.constantFrom("a.io", "b.io/ns", "c.io"),
  insecure: fc.boolean(),
  blocked: fc.boolean(),
  mirrorByDigestOnly: fc.constantFrom(false, false, false, true),
  mirrors: fc.array(
    fc.record({
      location: fc.constantFrom("m.lan", "n.lan", "a.io"),
      insecure: fc.boolean(),
      pullFromMirror: fc.constantFrom("digest-only", "tag-only", ""),
    }),
    { maxLength: 3 },
  ),
}) satisfies fc.Arbitrary<RegistryEntry>;
const someEntries = fc.uniqueArray(anEntry, {
  maxLength: 3,
  selector: ({ prefix, location }) => prefix || location,
});
const fileOf = (entries: readonly RegistryEntry[], comment = "") =>
  registriesConf(
    comment + encodeRegistriesConf({ entries, shortNameMode: "", additionalLayerStoreAuthHelper: "" }),
  );

describe("properties of the cost", () => {
  test("When nothing changes, it should cost nothing, whatever the files", () => {
    const file = fc.record({ path: fc.string(), mode: fc.nat(), contents: fc.string() });
    fc.assert(
      fc.property(fc.array(file), someEntries, (files, entries) => {
        const all = [...files, fileOf(entries)];
        expect(costOfChange({ before: all, after: [...all] })).toMatchObject({ cost: "none", changes: [] });
      }),
    );
  });

  test("When bytes differ and entries are reordered, it should cost what the content costs", () => {
    fc.assert(
      fc.property(someEntries, someEntries, (before, after) => {
        const plain = costOfChange({ before: [fileOf(before)], after: [fileOf(after)] });
        const disguised = costOfChange({
          before: [fileOf(before)],
          after: [fileOf([...after].reverse(), "# other bytes\n")],
        });
        const scopes = (changes: typeof plain.changes) => changes.filter((change) => "scope" in change);
        expect(scopes(disguised.changes)).toEqual(scopes(plain.changes));
        if (plain.cost !== "none") expect(disguised.cost).toBe(plain.cost);
      }),
    );
  });

  test("When more files change, it should never cost less", () => {
    const files = [registriesConf(search + withMirror), policyJson, sigstore, namespaced, searchDropIn];
    fc.assert(
      fc.property(fc.subarray(files), fc.subarray(files), (some, more) => {
        const few = costOfChange({ before: [], after: some }).cost;
        const many = costOfChange({ before: [], after: [...new Set([...some, ...more])] }).cost;
        expect(costs.indexOf(many)).toBeGreaterThanOrEqual(costs.indexOf(few));
      }),
    );
  });
});
