import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import { isWildcard } from "../../images/scope.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import { EntryLookup, findEntry, matchLength, pullSources, rewriteReference } from "./pull-sources.ts";

const entryOf = (scope: string, mirrors: readonly string[] = [], more: Partial<RegistryEntry> = {}) =>
  anEntry(isWildcard(scope) ? "" : scope, {
    prefix: isWildcard(scope) ? scope : "",
    mirrors: mirrors.map((mirror) => {
      const [location = "", pullFromMirror = ""] = mirror.split(" ");
      return { location, pullFromMirror, insecure: false };
    }),
    ...more,
  });

const digest = `@sha256:${"d".repeat(64)}`;

function reference(text: string): ImageReference {
  const parsed = tryParseImageReference(text);
  if (!parsed) throw new Error(`${text} is not a reference`);
  return parsed;
}

describe("matchLength", () => {
  test.for<[reference: string, scope: string, length: number]>([
    ["a.io/x", "a.io", 4],
    ["a.io/x", "a.io/x", 6],
    ["a.io/x:tag", "a.io/x", 6],
    [`a.io/x${digest}`, "a.io/x", 6],
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

describe("findEntry", () => {
  test.for([
    { name: "no scope matches", scopes: ["b.io", "a.io/y"], found: undefined },
    { name: "several scopes match", scopes: ["a.io", "a.io/x", "*.io"], found: "a.io/x" },
    { name: "an outer scope comes first", scopes: ["a.io/x", "a.io"], found: "a.io/x" },
  ])("When $name, it should find $found", ({ scopes, found }) => {
    expect(
      findEntry(
        scopes.map((scope) => entryOf(scope)),
        "a.io/x",
      )?.location,
    ).toBe(found);
  });

  test("When a wildcard is as long as another scope, it should find the wildcard", () => {
    const entries = [entryOf("x.corp.io"), entryOf("*.corp.io")];
    expect(findEntry(entries, "x.corp.io/y")?.prefix).toBe("*.corp.io");
    expect(findEntry(entries.toReversed(), "x.corp.io/y")?.prefix).toBe("*.corp.io");
  });

  test("When a scope occurs twice, it should find the first", () => {
    const entries = [entryOf("a.io", ["m"]), entryOf("a.io", ["n"])];
    expect(findEntry(entries, "a.io/x")).toBe(entries[0]);
  });
});

describe("pullSources", () => {
  test("When the entry has a prefix, it should go to its location", () => {
    const entry = entryOf("", [], { prefix: "a.io/x", location: "b.io/z" });
    expect(pullSources(entry, reference("a.io/x/y:1"))).toMatchObject([{ location: "b.io/z/y:1" }]);
  });

  test("When a mirror leaves no repository, it should give no reference for it", () => {
    const sources = pullSources(entryOf("a.io/x", ["m.lab"]), reference(`a.io/x${digest}`));
    expect(sources[0]).toMatchObject({ location: `m.lab${digest}`, reference: undefined });
    expect(sources[1]?.reference?.repository).toBe("a.io/x");
    expect(rewriteReference(reference("a.io/x:1"), "a.io/x", "m.lab")).toBeUndefined();
    expect(rewriteReference(reference("a.io/x:1"), "a.io", "m.lab")?.repository).toBe("m.lab/x");
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
