import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNested, isWildcard } from "../../images/scope.ts";
import { aRule } from "../fixtures.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";
import { buildEntries, type EntrySources, mergeRules } from "./merge.ts";

type Given = Readonly<{
  digest?: Record<string, string[]>;
  tag?: Record<string, string[]>;
  never?: string[];
  insecure?: string[];
  blocked?: string[];
}>;

const sourcesOf = ({ digest = {}, tag = {}, never = [], ...scopes }: Given): EntrySources => {
  const merge = (lists: Record<string, string[]>) =>
    mergeRules(
      Object.entries(lists).map(([source, mirrors]) =>
        aRule(source, mirrors, never.includes(source) ? { policy: "NeverContactSource" } : {}),
      ),
    );
  return {
    digest: merge(digest),
    tag: merge(tag),
    insecure: scopes.insecure ?? [],
    blocked: scopes.blocked ?? [],
  };
};

/** One line an entry: scope, flags, then mirrors with `#` for digest-only, `:` for tag-only, `!` for insecure. */
const show = (entries: readonly RegistryEntry[]): string[] =>
  entries.map((entry) =>
    [
      scopeOf(entry),
      ...(entry.insecure ? ["insecure"] : []),
      ...(entry.blocked ? ["blocked"] : []),
      ...entry.mirrors.map(
        ({ location, pullFromMirror, insecure }) =>
          `${{ "digest-only": "#", "tag-only": "@" }[pullFromMirror] ?? "="}${location}${insecure ? "!" : ""}`,
      ),
    ].join(" "),
  );

describe("buildEntries", () => {
  test.for<{ name: string; given: Given; entries: string[] }>([
    {
      name: "all kinds of scopes are new",
      given: {
        digest: { "z.io": ["m"] },
        tag: { "a.io": ["m"] },
        blocked: ["y.io", "b.io"],
        insecure: ["x.io", "c.io"],
      },
      entries: ["z.io #m", "a.io @m", "y.io blocked", "b.io blocked", "x.io insecure", "c.io insecure"],
    },
    {
      name: "a blocked scope lies in two sources",
      given: { digest: { "a.io": ["m"], "a.io/b": ["n"] }, blocked: ["a.io/b/c"] },
      entries: ["a.io #m", "a.io/b #n", "a.io/b/c blocked #m/b/c"],
    },
  ])("When $name, it should give $entries", ({ given, entries }) => {
    const built = buildEntries(sourcesOf(given));
    expect(show(built.entries)).toEqual(entries);
    expect(built.nestedWildcards).toEqual([]);
  });

  test("When the scope is a wildcard, it should be the prefix, with no location", () => {
    const { entries } = buildEntries(sourcesOf({ blocked: ["*.io", "a.io"] }));
    expect(entries).toMatchObject([
      { prefix: "*.io", location: "" },
      { prefix: "", location: "a.io" },
    ]);
  });

  test.for<[scope: string, mirrors: string[]]>([
    ["x.a.io", ["#m/q"]],
    ["*.x.a.io", ["#m/q"]],
    ["x.a.io/ns/b", ["#m/q/ns/b"]],
    ["x.a.io:5000/ns", []],
  ])("When a wildcard source covers $0, the scope should inherit $1, with an issue", ([scope, mirrors]) => {
    const built = buildEntries(sourcesOf({ digest: { "*.a.io": ["m/q"] }, blocked: [scope] }));
    expect(show(built.entries)).toEqual(["*.a.io #m/q", [scope, "blocked", ...mirrors].join(" ")]);
    expect(built.nestedWildcards).toEqual([{ source: "*.a.io", scope }]);
  });
});

/** The same by the book: every scope is compared with every entry. */
function buildByComparing({ digest, tag, insecure, blocked }: EntrySources): string[] | string {
  const entries: (RegistryEntry & { mirrors: RegistryMirror[] })[] = [];
  const findOrAdd = (scope: string) => {
    const found = entries.find((entry) => scopeOf(entry) === scope);
    if (found) return found;
    const added = { ...(isWildcard(scope) ? anEntry("", { prefix: scope }) : anEntry(scope)), mirrors: [] };
    entries.push(added);
    return findOrAdd(scope);
  };
  const groups = [
    ...digest.map((group) => ({ ...group, pullFromMirror: "digest-only" })),
    ...tag.map((group) => ({ ...group, pullFromMirror: "tag-only" })),
  ];
  for (const { source, mirrors, neverContact, pullFromMirror } of groups) {
    const entry = findOrAdd(source);
    if (neverContact) Object.assign(entry, { blocked: true });
    for (const location of mirrors) entry.mirrors.push({ location, insecure: false, pullFromMirror });
  }
  for (const scope of blocked) findOrAdd(scope);
  for (const scope of insecure) {
    Object.assign(findOrAdd(scope), { insecure: true });
    for (const entry of entries) {
      if (isNested(scopeOf(entry), scope)) Object.assign(entry, { insecure: true });
      for (const mirror of entry.mirrors) {
        if (isNested(mirror.location, scope)) Object.assign(mirror, { insecure: true });
      }
    }
  }
  for (const scope of blocked) {
    for (const entry of entries) if (isNested(scopeOf(entry), scope)) Object.assign(entry, { blocked: true });
  }
  for (const { source } of groups) {
    const parent = findOrAdd(source);
    for (const entry of entries) {
      const scope = scopeOf(entry);
      if (scope === source || !isNested(scope, source) || entry.mirrors.length > 0) continue;
      if (isWildcard(source)) return source;
      for (const mirror of parent.mirrors) {
        entry.mirrors.push({ ...mirror, location: mirror.location + scope.slice(source.length) });
      }
    }
  }
  return show(entries);
}

test("When any sources and scopes are given, it should build the same as a comparison of every scope with every entry", () => {
  const host = fc.constantFrom("a.io", "x.a.io", "*.a.io", "*.io", "a.io:5000", "m.lab", "*.x.a.io");
  const path = fc.constantFrom("", "", "/n", "/n/b", "/n/b/c");
  const scope = fc.tuple(host, path).map(([h, p]) => (isWildcard(h) ? h : h + p));
  const mirror = fc.tuple(fc.constantFrom("m.lab", "a.io", "x.a.io"), path).map((parts) => parts.join(""));
  const lists = fc.dictionary(scope, fc.array(mirror, { minLength: 1, maxLength: 3 }), { maxKeys: 4 });
  const scopes = fc.array(scope, { maxLength: 4 });
  const given = fc.record({
    digest: lists,
    tag: lists,
    never: scopes,
    insecure: scopes,
    blocked: scopes,
  });
  fc.assert(
    fc.property(given, (row) => {
      const sources = sourcesOf(row);
      const built = buildEntries(sources);
      const expected = buildByComparing(sources);
      if (typeof expected === "string") expect(built.nestedWildcards[0]?.source).toBe(expected);
      else expect(show(built.entries)).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
});
