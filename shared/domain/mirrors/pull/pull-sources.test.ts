import { describe, expect, test } from "vitest";
import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import { isWildcard } from "../../images/scope.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import { findEntry, matchLength, pullSources, rewriteReference } from "./pull-sources.ts";

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
  const mirrors = ["m.lab/d digest-only", "m.lab/t tag-only", "m.lab/b", "m.lab/all all"];
  const locations = (entry: RegistryEntry, text: string) =>
    pullSources(entry, reference(text)).map(({ location }) => location);

  test.for([
    [
      "by digest",
      `a.io/x${digest}`,
      ["m.lab/d/x", "m.lab/b/x", "m.lab/all/x", "a.io/x"].map((place) => place + digest),
    ],
    ["by tag", "a.io/x:1", ["m.lab/t/x:1", "m.lab/b/x:1", "m.lab/all/x:1", "a.io/x:1"]],
    ["by name alone", "a.io/x", ["m.lab/t/x", "m.lab/b/x", "m.lab/all/x", "a.io/x"]],
  ] as const)(
    "When the pull is %s, it should list the mirrors that serve it, then the source",
    ([, text, expected]) => {
      expect(locations(entryOf("a.io", mirrors), text)).toEqual(expected);
    },
  );

  test("When the entry has the old key, it should use the mirrors for digests only", () => {
    const entry = entryOf("a.io", ["m.lab"], { mirrorByDigestOnly: true });
    expect(locations(entry, "a.io/x:1")).toEqual(["a.io/x:1"]);
    expect(locations(entry, `a.io/x${digest}`)).toEqual([`m.lab/x${digest}`, `a.io/x${digest}`]);
  });

  test("When the scope is a wildcard, it should keep what follows the host", () => {
    expect(locations(entryOf("*.a.io", ["m.lab/c"]), "x.a.io/y:1")).toEqual(["m.lab/c/y:1", "x.a.io/y:1"]);
  });

  test("When the entry has a prefix, it should go to its location", () => {
    const entry = entryOf("", [], { prefix: "a.io/x", location: "b.io/z" });
    expect(locations(entry, "a.io/x/y:1")).toEqual(["b.io/z/y:1"]);
  });

  test("When a mirror leaves no repository, it should give no reference for it", () => {
    const sources = pullSources(entryOf("a.io/x", ["m.lab"]), reference(`a.io/x${digest}`));
    expect(sources[0]).toMatchObject({ location: `m.lab${digest}`, reference: undefined });
    expect(sources[1]?.reference?.repository).toBe("a.io/x");
    expect(rewriteReference(reference("a.io/x:1"), "a.io/x", "m.lab")).toBeUndefined();
    expect(rewriteReference(reference("a.io/x:1"), "a.io", "m.lab")?.repository).toBe("m.lab/x");
  });
});
