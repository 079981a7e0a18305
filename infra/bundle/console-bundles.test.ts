import { build } from "esbuild";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";

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
