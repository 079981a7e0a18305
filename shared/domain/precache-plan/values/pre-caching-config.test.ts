import { describe, expect, test } from "vitest";
import { anUpgrade, aPreCachingConfig } from "../../../../test/support/precache/precache-plan-objects.ts";
import { configReferenceOf, configsOf } from "../../precache-model/upgrade-spec.ts";
import { noConfigValues, readPreCachingConfig } from "./pre-caching-config.ts";

describe("a PreCachingConfig", () => {
  test("When every field is set, it should have them all", () => {
    const spec = {
      overrides: {
        platformImage: "quay.io/r@sha256:1",
        operatorsIndexes: ["quay.io/i:v1"],
        operatorsPackagesAndChannels: ["a:stable"],
        preCacheImage: "quay.io/w:v1",
      },
      excludePrecachePatterns: ["aws"],
      additionalImages: ["quay.io/a@sha256:1"],
      spaceRequired: "45 GiB",
    };
    const { overrides, ...others } = spec;
    expect(readPreCachingConfig(aPreCachingConfig(spec))).toEqual({
      values: { ...overrides, ...others },
      issues: [],
    });
  });

  const nothing = { overrides: null, additionalImages: null, spaceRequired: null };
  test.for([{}, nothing, { overrides: { platformImage: null, operatorsPackagesAndChannels: null } }])(
    "When it is %j, it should have no values",
    (spec) => {
      expect(readPreCachingConfig(aPreCachingConfig(spec))).toEqual({ values: noConfigValues, issues: [] });
    },
  );

  const quotes = "Put it in quotes.";
  const indent = "Indent its fields below it.";
  const oneItem = "Write it as a list with one item.";
  const entry = 'a text "package:channel"';
  test.for<readonly [spec: object, path: string, is: string, wanted: string, remedy: string]>([
    [{ overrides: "x" }, "spec.overrides", "a string", "an object", indent],
    [{ overrides: [] }, "spec.overrides", "a list", "an object", indent],
    [{ overrides: { platformImage: 1 } }, "spec.overrides.platformImage", "a number", "a text", quotes],
    [{ overrides: { preCacheImage: {} } }, "spec.overrides.preCacheImage", "an object", "a text", quotes],
    [{ spaceRequired: 45 }, "spec.spaceRequired", "a number", "a text", quotes],
    [{ additionalImages: "a" }, "spec.additionalImages", "a string", "a list of texts", oneItem],
    [{ additionalImages: [1] }, "spec.additionalImages[0]", "a number", "a text", quotes],
    [{ excludePrecachePatterns: [true] }, "spec.excludePrecachePatterns[0]", "a boolean", "a text", quotes],
    [
      { overrides: { operatorsPackagesAndChannels: "a:v1" } },
      "spec.overrides.operatorsPackagesAndChannels",
      "a string",
      "a list of texts",
      oneItem,
    ],
    ...[1, { a: "v1", b: "v1" }, {}, { a: true }].map(
      (item) =>
        [
          { overrides: { operatorsPackagesAndChannels: [item] } },
          "spec.overrides.operatorsPackagesAndChannels[0]",
          typeof item === "number" ? "a number" : "an object",
          entry,
          quotes,
        ] as const,
    ),
  ])(
    "When it is %j, the value at %s should be ignored, and reported as %s, not %s",
    ([spec, path, is, wanted, remedy]) => {
      const { values, issues } = readPreCachingConfig(aPreCachingConfig({ ...spec }));
      expect(values).toEqual(noConfigValues);
      const message = `The value is ${is}, not ${wanted}. The API server refuses it.`;
      expect(issues).toMatchObject([{ code: "WrongType", severity: "error", path, message, remedy }]);
    },
  );

  test("When one item of a list is of another type, the others should count", () => {
    const { values } = readPreCachingConfig(aPreCachingConfig({ additionalImages: ["a", 1, "b"] }));
    expect(values.additionalImages).toEqual(["a", "b"]);
  });

  test.for([
    { item: { a: "v1" }, entry: "a:v1" },
    { item: { a: 4.2 }, entry: "a:4.2" },
  ])("When a package is the map $item, it should be read as $entry with a hint", ({ item, entry }) => {
    const overrides = { operatorsPackagesAndChannels: ["b:v2", item] };
    const { values, issues } = readPreCachingConfig(aPreCachingConfig({ overrides }));
    expect(values.operatorsPackagesAndChannels).toEqual(["b:v2", entry]);
    expect(issues).toMatchObject([
      {
        code: "PackageAsMap",
        severity: "warning",
        path: "spec.overrides.operatorsPackagesAndChannels[1]",
        message: `Without quotes this is a map; it is read as "${entry}". The API server refuses it.`,
        remedy: `Write it as "${entry}", in quotes.`,
      },
    ]);
  });
});

describe("the reference of an upgrade to its PreCachingConfig", () => {
  test.for<readonly [reference: unknown, named: string | undefined, issue: string | undefined]>([
    [undefined, undefined, undefined],
    [{}, undefined, undefined],
    [{ name: "" }, undefined, undefined],
    [{ name: 1 }, undefined, undefined],
    [{ name: "config" }, "ztp/config", undefined],
    [{ name: "config", namespace: "" }, "ztp/config", undefined],
    [{ name: "config", namespace: 1 }, "ztp/config", undefined],
    [{ name: "config", namespace: "edge" }, "edge/config", undefined],
    ["config", "ztp/config", "a string"],
    [["config"], "ztp/config", "a list"],
    [[{ name: "config", namespace: "edge" }], "edge/config", "a list"],
  ])("When it is %j, it should name %s", ([preCachingConfigRef, named, form]) => {
    const cgu = anUpgrade({ preCachingConfigRef });
    const found = configReferenceOf(cgu, preCachingConfigRef);
    expect(found && `${found.namespace}/${found.name}`).toBe(named);
    const message = `It is ${form}; it is read as one object with name and namespace. The API server refuses it.`;
    expect(found?.issues ?? []).toMatchObject(
      form ? [{ code: "ReferenceForm", severity: "warning", path: "spec.preCachingConfigRef", message }] : [],
    );
    const all = ["ztp/config", "edge/config", "ztp/other"].map((text) => {
      const [namespace = "", name = ""] = text.split("/");
      return aPreCachingConfig({}, { namespace, name });
    });
    const own = configsOf(cgu, all).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(own).toEqual(named ? [named] : []);
  });
});
