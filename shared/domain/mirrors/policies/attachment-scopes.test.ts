import { expect, test } from "vitest";
import { aRule } from "../fixtures.ts";
import { buildEntries, mergeRules } from "../merge/merge.ts";
import { attachmentScopes } from "./policy-files.ts";

const entriesOf = (
  mirrors: Record<string, string[]>,
  tags: Record<string, string[]> = {},
  insecure: string[] = [],
) => {
  const merge = (lists: Record<string, string[]>) =>
    mergeRules(Object.entries(lists).map(([source, list]) => aRule(source, list)));
  return buildEntries({ digest: merge(mirrors), tag: merge(tags), insecure, blocked: [] }).entries;
};

const nested = entriesOf({ "a.io/n": ["m.lab/x"] });

test.for([
  ["there is no registries.conf", ["a.io"], undefined, ["a.io"]],
  ["no entry matches", ["a.io"], entriesOf({ "b.io": ["m"] }), ["a.io"]],
  [
    "the host is mirrored",
    ["a.io"],
    entriesOf({ "a.io": ["m.lab/x"] }, { "a.io": ["t.lab:5000"] }),
    ["a.io", "m.lab/x", "t.lab:5000"],
  ],
  ["a mirror begins as the sample", ["a.io"], entriesOf({ "a.io": ["m.lab/apps"] }), ["a.io", "m.lab/apps"]],
  ["the scope's path is the sample's", ["a.io/n/a"], nested, ["a.io/n/a", "m.lab/x/a"]],
  ["the scope lies inside a mirrored one", ["a.io/n/app"], nested, ["a.io/n/app", "m.lab/x/app"]],
  [
    "the scope has tag or digest",
    ["a.io:5000/n:1", `a.io/n@sha256:${"0".repeat(64)}`],
    entriesOf({ "a.io:5000": ["m.lab"], "a.io": ["o.lab"] }),
    ["a.io:5000/n:1", "a.io:5000/n", "m.lab/n", `a.io/n@sha256:${"0".repeat(64)}`, "a.io/n", "o.lab/n"],
  ],
  [
    "entries lie inside the scope",
    ["a.io"],
    entriesOf({ "a.io/b": ["m.lab/x"], "a.ions": ["z.lab"] }, {}, ["a.io/c"]),
    ["a.io", "a.io/b", "a.io/c", "m.lab/x"],
  ],
  [
    "a scope in a list ends with a slash, as older API servers accepted it",
    ["a.io/n:1"],
    entriesOf({}, {}, ["a.io/"]),
    ["a.io/n:1", "a.io/n"],
  ],
  [
    "the scope is a wildcard",
    ["*.a.io"],
    entriesOf({ "xy.a.io": ["m.lab/x"], "*.a.io": ["n.lab"] }),
    ["*.a.io", "n.lab", "xy.a.io", "m.lab/x"],
  ],
  ["a wildcard is", ["xy.a.io/app"], entriesOf({ "*.a.io": ["n.lab/c"] }), ["n.lab/c/app", "xy.a.io/app"]],
] as const)("When $0, it should find $3", ([, policyScopes, entries, scopes]) => {
  const found = attachmentScopes(policyScopes, entries);
  expect([...new Set(found.scopes)].sort()).toEqual([...scopes].sort());
  expect(found.unusable).toEqual([]);
});

test("When a mirror leaves no repository, it should report it, and find the rest", () => {
  const found = attachmentScopes(["a.io/app"], entriesOf({ "a.io/app": ["m.lab", "n.lab/x"] }));
  expect([...new Set(found.scopes)]).toEqual(["a.io/app", "n.lab/x"]);
  expect(found.unusable).toEqual([
    { policyScope: "a.io/app", scope: "a.io/app", location: `m.lab@sha256:${"a".repeat(64)}` },
  ]);
});
