import { expect, test } from "vitest";
import { anImage } from "../fixtures.ts";
import { readRegistrySources, validateScopes } from "./read-image.ts";
import type { Compat } from "./validate-rules.ts";

test("When there is no Image, it should read nothing", () => {
  expect(readRegistrySources(undefined)).toEqual({ sources: {}, hasUnreadable: false, issues: [] });
});

test("When all lists are given, it should read them with their paths", () => {
  const lists = {
    insecureRegistries: ["i.io"],
    blockedRegistries: ["b.io", "c.io"],
    allowedRegistries: [],
    containerRuntimeSearchRegistries: ["s.io"],
  };
  const path = "spec.registrySources";
  expect(readRegistrySources(anImage(lists))).toEqual({
    sources: {
      insecure: [{ scope: "i.io", path: `${path}.insecureRegistries[0]` }],
      blocked: [
        { scope: "b.io", path: `${path}.blockedRegistries[0]` },
        { scope: "c.io", path: `${path}.blockedRegistries[1]` },
      ],
      allowed: [],
      search: ["s.io"],
    },
    hasUnreadable: false,
    issues: [],
  });
});

test.for<{ name: string; spec: unknown; paths: string[]; wanted?: string }>([
  { name: "spec is missing", spec: undefined, paths: [] },
  { name: "spec is a list", spec: [], paths: ["spec"], wanted: "an object" },
  { name: "registrySources is missing", spec: {}, paths: [] },
  { name: "registrySources is null", spec: { registrySources: null }, paths: [] },
  {
    name: "registrySources is a string",
    spec: { registrySources: "x" },
    paths: ["spec.registrySources"],
    wanted: "an object",
  },
  { name: "a list is null", spec: { registrySources: { blockedRegistries: null } }, paths: [] },
  {
    name: "a list is a string",
    spec: { registrySources: { blockedRegistries: "b.io" } },
    paths: ["spec.registrySources.blockedRegistries"],
    wanted: "a list of strings",
  },
])("When $name, it should read no list and report $paths", ({ spec, paths, wanted }) => {
  const { sources, hasUnreadable, issues } = readRegistrySources({ ...anImage({}), spec });
  expect(sources).toEqual({});
  expect(hasUnreadable).toBe(paths.length > 0);
  expect(issues.map(({ path }) => path)).toEqual(paths);
  expect(issues.map(({ remedy }) => remedy)).toEqual(paths.map((path) => `Write ${path} as ${wanted}.`));
});

test.for<{ lists: Record<string, unknown>; isClosing: boolean }>([
  { lists: { blockedRegistries: ["a.io", 1] }, isClosing: true },
  { lists: { allowedRegistries: [null] }, isClosing: true },
  { lists: { allowedRegistries: "a.io" }, isClosing: true },
  { lists: { containerRuntimeSearchRegistries: "a.io" }, isClosing: true },
  { lists: { containerRuntimeSearchRegistries: ["a.io", 1] }, isClosing: false },
  { lists: { insecureRegistries: "a.io" }, isClosing: false },
])(
  "When $lists cannot be read, it should know whether that could close something",
  ({ lists, isClosing }) => {
    expect(readRegistrySources(anImage(lists)).hasUnreadable).toBe(isClosing);
  },
);

test("When an item is not a string, it should leave out that item and keep the others' places", () => {
  const { sources, issues } = readRegistrySources(anImage({ blockedRegistries: ["a.io", 1, null, "b.io"] }));
  expect(sources.blocked?.map(({ scope, path }) => `${scope} ${path}`)).toEqual([
    "a.io spec.registrySources.blockedRegistries[0]",
    "b.io spec.registrySources.blockedRegistries[3]",
  ]);
  expect(issues).toMatchObject([
    {
      code: "InvalidType",
      severity: "error",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.blockedRegistries[1]",
      value: 1,
      message: "spec.registrySources.blockedRegistries[1] must be a string, but is a number",
    },
    { path: "spec.registrySources.blockedRegistries[2]", value: null },
  ]);
});

const path = "spec.registrySources.blockedRegistries[0]";

test.for<[scope: string, compat: Compat, severity: "error" | "warning" | "none"]>([
  ["quay.io", "default", "none"],
  ["*.quay.io", "mco", "none"],
  ["", "default", "error"],
  ["*.a.io/x", "mco", "error"],
  ["quay*", "default", "error"],
  ["http://quay.io", "default", "error"],
  ["https://quay.io", "mco", "warning"],
  ["a.io/http://b", "default", "warning"],
  ["/", "default", "error"],
  ["quay.io/", "mco", "warning"],
  ["quay.io/x:tag", "mco", "warning"],
])("When the scope is %j and the mode is %s, it should report: %s", ([scope, compat, severity]) => {
  const { usable, issues } = validateScopes(anImage({}), "blocked", [{ scope, path }], compat);
  expect(issues.map((issue) => issue.severity)).toEqual(severity === "none" ? [] : [severity]);
  expect(usable).toEqual(severity === "error" ? [] : [{ scope, path }]);
});

test("When a scope ends with a slash, it should warn and drop it, as the runtime does", () => {
  const { usable, issues } = validateScopes(anImage({}), "blocked", [{ scope: "quay.io/", path }], "default");
  expect(usable).toEqual([{ scope: "quay.io", path }]);
  expect(issues).toMatchObject([{ severity: "warning", value: "quay.io/" }]);
});

test("When a scope is refused, it should name the list as machine-config-operator does", () => {
  const { issues } = validateScopes(anImage({}), "insecure", [{ scope: "*", path }], "default");
  expect(issues).toMatchObject([
    {
      code: "InvalidScope",
      object: { kind: "Image", name: "cluster" },
      path,
      value: "*",
      message: 'invalid entry for insecure registries "*"',
    },
  ]);
});
