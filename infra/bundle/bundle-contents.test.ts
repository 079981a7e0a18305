import type { Metafile } from "esbuild";
import { describe, expect, test } from "vitest";
import { packagesIn, refuseForeignPackages } from "./bundle-contents.ts";

/** Returns the metafile of a bundle of these files, each with the bytes it contributes. */
function metafileOf(inputs: Readonly<Record<string, number>>): Metafile {
  const perFile = Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }]);
  const output = { bytes: 1, inputs: Object.fromEntries(perFile), imports: [], exports: [] };
  return { inputs: {}, outputs: { "handler.mjs": output } };
}

describe("packagesIn", () => {
  const cases = [
    {
      name: "When all files belong to the project, it should name no package",
      inputs: { "functions/mirror-config/handler.ts": 10 },
      packages: [],
    },
    {
      name: "When a package has several files, it should name it once, with its scope",
      inputs: { "node_modules/@aws-sdk/core/dist-es/a.js": 1, "node_modules/@aws-sdk/core/dist-es/b.js": 1 },
      packages: ["@aws-sdk/core"],
    },
    {
      name: "When a package is nested in another, it should name the inner one",
      inputs: { "node_modules/zod/node_modules/tslib/tslib.js": 1 },
      packages: ["tslib"],
    },
    {
      name: "When a package contributes no bytes, it should not name it",
      inputs: { "node_modules/yaml/index.js": 3, "node_modules/commander/index.js": 0 },
      packages: ["yaml"],
    },
  ];
  test.for(cases)("$name", ({ inputs, packages }) => {
    expect(packagesIn(metafileOf(inputs))).toEqual(packages);
  });
});

describe("refuseForeignPackages", () => {
  test("When a bundle has packages that are not permitted, it should name function and packages", () => {
    expect(() => refuseForeignPackages("resync", ["@middy/core", "commander", "fauxqs"])).toThrow(
      /functions\/resync would contain commander, fauxqs:/,
    );
  });

  test("When a bundle has only permitted packages, it should pass", () => {
    refuseForeignPackages("resync", ["@aws-sdk/client-sqs", "@middy/core", "@smithy/core", "tslib", "yaml"]);
  });

  test("When a package is permitted for one function, it should be refused for another", () => {
    refuseForeignPackages("mirror-config", ["@iarna/toml"]);
    expect(() => refuseForeignPackages("resync", ["@iarna/toml"])).toThrow(
      /functions\/resync .* @iarna\/toml/,
    );
  });

  test("When a name only has the prefix of a permitted one, it should be refused", () => {
    expect(() => refuseForeignPackages("resync", ["yamljs"])).toThrow(/yamljs/);
  });
});
