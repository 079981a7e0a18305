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
  {
    name: "the search list is the same",
    before: ["a", "b"],
    after: ["a", "b"],
    code: undefined,
    isSafe: undefined,
  },
  {
    name: "neither file has a search list",
    before: undefined,
    after: undefined,
    code: undefined,
    isSafe: undefined,
  },
  {
    name: "the file gets an empty search list",
    before: undefined,
    after: [],
    code: undefined,
    isSafe: undefined,
  },
  {
    name: "a registry is appended to the search list",
    before: ["a"],
    after: ["a", "b"],
    code: "search-registries-appended",
    isSafe: true,
  },
  {
    name: "the file gets a search list",
    before: undefined,
    after: ["a"],
    code: "search-registries-appended",
    isSafe: true,
  },
  {
    name: "a registry is put first in the search list",
    before: ["a"],
    after: ["b", "a"],
    code: "search-registries-changed",
    isSafe: false,
  },
  {
    name: "a registry is removed from the search list",
    before: ["a", "b"],
    after: ["a"],
    code: "search-registries-changed",
    isSafe: false,
  },
  {
    name: "two registries of the search list change places",
    before: ["a", "b"],
    after: ["b", "a"],
    code: "search-registries-changed",
    isSafe: false,
  },
  {
    name: "the search list goes",
    before: ["a"],
    after: undefined,
    code: "search-registries-changed",
    isSafe: false,
  },
])("When $name, it should find $code", ({ before, after, code, isSafe }) => {
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
