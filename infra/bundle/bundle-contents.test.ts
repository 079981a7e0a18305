import { build, type Metafile } from "esbuild";
import { unzipSync } from "fflate";
import { describe, expect, onTestFinished, test } from "vitest";
import { paths } from "../paths.ts";
import { lambdaArchive } from "./bundle.ts";
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

/**
 * Returns what programs are made from, by their entry points: files and packages, those included that are loaded only
 * when they are needed.
 */
async function inputsOf(entryPoints: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    absWorkingDir: paths.root,
    entryPoints: [...entryPoints],
    outdir: "dist/none",
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  return new Map(
    Object.values(metafile.outputs).map(({ entryPoint = "", inputs, imports }) => [
      entryPoint,
      [...Object.keys(inputs), ...imports.map(({ path }) => path)],
    ]),
  );
}

const isOfConsole = (input: string) => /^console\/|^hono\b|^@hono\/|^@patternfly\//.test(input);

test("When a process of a deployment is bundled, nothing of the console should be in it", async () => {
  const processes = ["forward", "resync", "work"].map((name) => `cli/commands/processes/${name}.ts`);
  const pages = "cli/commands/console/console.ts";
  const inputs = await inputsOf([...processes, pages]);
  expect(inputs.get(pages)).toEqual(
    expect.arrayContaining(["console/server/app.ts", "hono", "@hono/node-server"]),
  );
  expect([...inputs.keys()].filter((program) => inputs.get(program)?.some(isOfConsole))).toEqual([pages]);
});

const bundle = {
  "handler.mjs": Buffer.from("export const handler = () => 1;\n".repeat(1000)),
  "chunk-A.mjs": Buffer.from("export const part = 2;\n"),
};

test("When a bundle is archived, the archive should contain its files and no others, whatever their order", () => {
  const archive = lambdaArchive(bundle);
  const files = Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, Buffer.from(bytes)]);
  expect(files).toEqual([
    ["chunk-A.mjs", bundle["chunk-A.mjs"]],
    ["handler.mjs", bundle["handler.mjs"]],
  ]);
  const turned = Object.fromEntries(Object.entries(bundle).reverse());
  expect(Buffer.compare(lambdaArchive(turned), archive)).toBe(0);
});

test("When it is archived in another time zone, the bytes should be the same", () => {
  const { TZ } = process.env;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  const archives = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"].map((zone) => {
    process.env.TZ = zone;
    return Buffer.from(lambdaArchive(bundle)).toString("base64");
  });
  expect(new Set(archives).size).toBe(1);
});

test("When it is archived, the file should be readable by all and have the oldest date of the format", () => {
  const archive = Buffer.from(lambdaArchive(bundle));
  const entry = archive.subarray(archive.lastIndexOf("PK\x01\x02", undefined, "latin1"));
  expect({ system: entry[5], mode: (entry.readUInt32LE(38) >>> 16).toString(8) }).toEqual({
    system: 3,
    mode: "100644",
  });
  // Midnight of 1 January 1980.
  expect([...entry.subarray(12, 16)]).toEqual([0, 0, 0x21, 0]);
});
