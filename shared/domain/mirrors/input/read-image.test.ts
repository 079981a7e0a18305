import { expect, test } from "vitest";
import { configureMirrors } from "../configuration.ts";
import { anImage } from "../fixtures.ts";
import { readRegistrySources, validateScopes } from "./read-image.ts";
import type { Refusing } from "./validate-rules.ts";

const listsOf = (blockedRegistries: unknown, allowedRegistries: unknown) => ({
  registrySources: { blockedRegistries, allowedRegistries },
});

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

test.for<[name: string, spec: unknown, paths: string[], wanted?: string | undefined]>([
  ["spec is a list", [], ["spec"], "an object"],
  ["registrySources is missing", {}, []],
  ["registrySources is null", { registrySources: null }, []],
  ["registrySources is a string", { registrySources: "x" }, ["spec.registrySources"], "an object"],
  ["a list is null", { registrySources: { blockedRegistries: null } }, []],
  [
    "a list is a string",
    { registrySources: { blockedRegistries: "b.io" } },
    ["spec.registrySources.blockedRegistries"],
    "a list of strings",
  ],
])("When $0, it should read no list and report $2", ([, spec, paths, wanted]) => {
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
  ["/", "anyone", "error"],
  ["quay.io/x:tag", "anyone", "none"],
])("When the scope is %j and the mode is %s, it should report: %s", ([scope, refusing, severity]) => {
  const { usable, issues } = validateScopes(anImage({}), "blocked", [{ scope, path }], refusing);
  expect(issues.map((issue) => issue.severity)).toEqual(severity === "none" ? [] : [severity]);
  expect(usable).toEqual(severity === "error" ? [] : [{ scope, path }]);
});

const lists = "spec.registrySources";
const validSpec = { registrySources: { blockedRegistries: ["a.io"] }, additionalTrustedCA: { name: "ca" } };

test.for<[name: string, spec: unknown, errors: string[]]>([
  ["there is no spec", undefined, ["MissingField spec"]],
  ["it is valid", validSpec, []],
  [
    "the search list is empty",
    { registrySources: { containerRuntimeSearchRegistries: [] } },
    [`InvalidValue ${lists}.containerRuntimeSearchRegistries`],
  ],
  [
    "the search list has a name twice",
    { registrySources: { containerRuntimeSearchRegistries: ["a.io", "b.io", "a.io"] } },
    [`DuplicateValue ${lists}.containerRuntimeSearchRegistries[2]`],
  ],
  ["a ConfigMap has no name", { additionalTrustedCA: {} }, ["MissingField spec.additionalTrustedCA.name"]],
  [
    "values have a wrong type",
    {
      additionalTrustedCA: { name: 1 },
      allowedRegistriesForImport: [{ domainName: "a.io", insecure: "no" }, null],
      externalRegistryHostnames: ["a.io", 1],
      imageStreamImportMode: true,
    },
    [
      "InvalidType spec.allowedRegistriesForImport[0].insecure",
      "InvalidType spec.allowedRegistriesForImport[1]",
      "InvalidType spec.externalRegistryHostnames[1]",
      "InvalidType spec.additionalTrustedCA.name",
      "InvalidType spec.imageStreamImportMode",
    ],
  ],
  ["the mode is odd", { imageStreamImportMode: "legacy" }, ["UnsupportedValue spec.imageStreamImportMode"]],
  ["both lists are there", listsOf([], ["a.io"]), [`AllowedAndBlocked ${lists}.allowedRegistries`]],
  ["one of the lists is null", listsOf(null, ["a.io"]), []],
])("When every API server refuses the Image because %s, it should be an error", ([, spec, errors]) => {
  const { issues } = configureMirrors({ objects: [], image: { ...anImage({}), spec } });
  const found = issues.filter(({ severity }) => severity === "error");
  expect(found.map(({ code, path }) => `${code} ${path}`)).toEqual(errors);
});

test.for<[scope: string, version: string | undefined, severity: string | undefined]>([
  ["a.io/x:tag", "5.0.1", "error"],
  ["a.io/x:tag", "4.23.0", "error"],
  ["a.io/x:tag", "4.22.9", "warning"],
  ["a.io/x:tag", undefined, "warning"],
  ["a.io/", "5.1.0", "error"],
  [`a.io/${"x".repeat(252)}`, "5.0.1", "error"],
  [`a.io/${"x".repeat(251)}`, "5.0.1", undefined],
])("When %s is blocked and the release is %s, it should report: %s", ([scope, releaseVersion, severity]) => {
  const image = anImage({ blockedRegistries: [scope] });
  const { issues } = configureMirrors({ objects: [], image, ...(releaseVersion ? { releaseVersion } : {}) });
  expect(issues.find(({ code }) => code === "InvalidScope")?.severity).toBe(severity);
});

test("When the API server of a release accepts an empty list beside the other, it should be no error", () => {
  const image = { ...anImage({}), spec: listsOf(["a.io"], []) };
  expect(configureMirrors({ objects: [], image, releaseVersion: "4.17.3" }).refused).toBe(false);
});
