import { expect, test } from "vitest";
import { aRule } from "../fixtures.ts";
import { buildEntries } from "../merge/entries.ts";
import { mergeRules } from "../merge/merge.ts";
import { attachmentScopes } from "./attachment-scopes.ts";

const entriesOf = (
  mirrors: Record<string, string[]>,
  tags: Record<string, string[]> = {},
  insecure: string[] = [],
) => {
  const merge = (lists: Record<string, string[]>) =>
    mergeRules(Object.entries(lists).map(([source, list]) => aRule(source, list)));
  return buildEntries({ base: [], digest: merge(mirrors), tag: merge(tags), insecure, blocked: [] }).entries;
};

test.for([
  { name: "there is no registries.conf", policyScopes: ["a.io"], entries: undefined, scopes: ["a.io"] },
  {
    name: "no entry matches",
    policyScopes: ["a.io"],
    entries: entriesOf({ "b.io": ["m"] }),
    scopes: ["a.io"],
  },
  {
    name: "the host is mirrored",
    policyScopes: ["a.io"],
    entries: entriesOf({ "a.io": ["m.lab/x"] }, { "a.io": ["t.lab:5000"] }),
    scopes: ["a.io", "m.lab/x", "t.lab:5000"],
  },
  {
    name: "a mirror's path begins as the sample's",
    policyScopes: ["a.io"],
    entries: entriesOf({ "a.io": ["m.lab/apps"] }),
    scopes: ["a.io", "m.lab/apps"],
  },
  {
    name: "the scope's path is the sample's",
    policyScopes: ["a.io/n/a"],
    entries: entriesOf({ "a.io/n": ["m.lab/x"] }),
    scopes: ["a.io/n/a", "m.lab/x/a"],
  },
  {
    name: "the scope lies inside a mirrored one",
    policyScopes: ["a.io/n/app"],
    entries: entriesOf({ "a.io/n": ["m.lab/x"] }),
    scopes: ["a.io/n/app", "m.lab/x/app"],
  },
  {
    name: "the scope has tag or digest",
    policyScopes: ["a.io:5000/n:1", `a.io/n@sha256:${"0".repeat(64)}`],
    entries: entriesOf({ "a.io:5000": ["m.lab"], "a.io": ["o.lab"] }),
    scopes: [
      "a.io:5000/n:1",
      "a.io:5000/n",
      "m.lab/n",
      `a.io/n@sha256:${"0".repeat(64)}`,
      "a.io/n",
      "o.lab/n",
    ],
  },
  {
    name: "entries lie inside the scope",
    policyScopes: ["a.io"],
    entries: entriesOf({ "a.io/b": ["m.lab/x"], "a.ions": ["z.lab"] }, {}, ["a.io/c"]),
    scopes: ["a.io", "a.io/b", "a.io/c", "m.lab/x"],
  },
  {
    name: "the scope is a wildcard",
    policyScopes: ["*.a.io"],
    entries: entriesOf({ "xy.a.io": ["m.lab/x"], "*.a.io": ["n.lab"] }),
    scopes: ["*.a.io", "n.lab", "xy.a.io", "m.lab/x"],
  },
  {
    name: "a wildcard source covers the scope",
    policyScopes: ["xy.a.io/app"],
    entries: entriesOf({ "*.a.io": ["n.lab/c"] }),
    scopes: ["n.lab/c/app", "xy.a.io/app"],
  },
])("When $name, it should find $scopes", ({ policyScopes, entries, scopes }) => {
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
