import { expect, test } from "vitest";
import { anEntry } from "../../mirrors/registries-conf/fixtures.ts";
import type { RegistriesConf } from "../../mirrors/registries-conf/registries-conf.ts";
import { compareRegistries } from "./registries-change.ts";

const conf = (fields: Partial<RegistriesConf>): RegistriesConf => ({
  shortNameMode: "",
  additionalLayerStoreAuthHelper: "",
  entries: [],
  ...fields,
});

test.for([
  ["the search list is the same", ["a", "b"], ["a", "b"], undefined, undefined],
  ["neither file has a search list", undefined, undefined, undefined, undefined],
  ["the file gets an empty search list", undefined, [], undefined, undefined],
  ["a registry is appended to the search list", ["a"], ["a", "b"], "search-registries-appended", true],
  ["the file gets a search list", undefined, ["a"], "search-registries-appended", true],
  ["a registry is put first in the search list", ["a"], ["b", "a"], "search-registries-changed", false],
  ["a registry is removed from the search list", ["a", "b"], ["a"], "search-registries-changed", false],
  ["the search list goes", ["a"], undefined, "search-registries-changed", false],
] as const)("When $0, it should find $3", ([, before, after, code, isSafe]) => {
  const { searchList, scopes } = compareRegistries(
    conf(before ? { unqualifiedSearchRegistries: before } : {}),
    conf(after ? { unqualifiedSearchRegistries: after } : {}),
  );
  expect(searchList?.finding.code).toBe(code);
  expect(searchList?.finding.isSafe).toBe(isSafe);
  expect(scopes).toEqual([]);
});

test("When entries come, go and change, it should name each scope once, sorted", () => {
  const before = conf({ entries: [anEntry("z.io"), anEntry("b.io"), anEntry("same.io")] });
  const after = conf({ entries: [anEntry("same.io"), anEntry("b.io", { blocked: true }), anEntry("a.io")] });
  expect(
    compareRegistries(before, after).scopes.map(({ scope, findings: [{ code }] }) => [scope, code]),
  ).toEqual([
    ["a.io", "entry-added-without-mirrors"],
    ["b.io", "blocked-changed"],
    ["z.io", "entry-removed"],
  ]);
});

test("When a scope has two entries, the last one should count", () => {
  const twice = conf({ entries: [anEntry("a.io"), anEntry("a.io", { insecure: true })] });
  const turned = conf({ entries: [anEntry("a.io", { insecure: true }), anEntry("a.io")] });
  expect(compareRegistries(twice, conf({ entries: [anEntry("a.io", { insecure: true })] })).scopes).toEqual(
    [],
  );
  expect(compareRegistries(twice, turned).scopes.map(({ findings: [{ code }] }) => code)).toEqual([
    "insecure-changed",
  ]);
});

test("When an entry has a prefix, that should be its scope", () => {
  const before = conf({ entries: [anEntry("elsewhere.lan", { prefix: "a.io" })] });
  const after = conf({ entries: [anEntry("a.io")] });
  expect(
    compareRegistries(before, after).scopes.map(({ scope, findings }) => [scope, findings.length]),
  ).toEqual([["a.io", 2]]);
});
