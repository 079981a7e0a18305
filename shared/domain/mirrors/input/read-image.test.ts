import { expect, test } from "vitest";
import { anImage } from "../fixtures.ts";
import { readRegistrySources, validateScopes } from "./read-image.ts";
import type { Refusing } from "./validate-rules.ts";

test("When there is no Image, it should read nothing", () => {
  expect(readRegistrySources(undefined)).toEqual({ sources: {}, issues: [] });
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
  const { sources, issues } = readRegistrySources({ ...anImage({}), spec });
  expect(sources).toEqual({});
  expect(issues.map(({ path }) => path)).toEqual(paths);
  expect(issues.map(({ remedy }) => remedy)).toEqual(paths.map((path) => `Write ${path} as ${wanted}.`));
});

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

test.for<[scope: string, refusing: Refusing, severity: "error" | "warning" | "none"]>([
  ["quay.io", "anyone", "none"],
  ["*.quay.io", "operator", "none"],
  ["", "anyone", "error"],
  ["*.a.io/x", "operator", "error"],
  ["quay*", "anyone", "error"],
  ["http://quay.io", "anyone", "error"],
  ["https://quay.io", "operator", "warning"],
  ["a.io/http://b", "anyone", "warning"],
  ["/", "anyone", "error"],
  ["quay.io/", "operator", "warning"],
  ["quay.io/x:tag", "operator", "warning"],
])("When the scope is %j and the mode is %s, it should report: %s", ([scope, refusing, severity]) => {
  const { usable, issues } = validateScopes(anImage({}), "blocked", [{ scope, path }], refusing);
  expect(issues.map((issue) => issue.severity)).toEqual(severity === "none" ? [] : [severity]);
  expect(usable).toEqual(severity === "error" ? [] : [{ scope, path }]);
});

test("When a scope is refused, it should name the list as machine-config-operator does", () => {
  const { issues } = validateScopes(anImage({}), "insecure", [{ scope: "*", path }], "anyone");
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
