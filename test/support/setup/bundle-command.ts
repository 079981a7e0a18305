import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { moduleOptions } from "../../../infra/bundle/bundle.ts";
import { buildTools } from "../../../infra/bundle/bundle-console.ts";
import { paths } from "../../../infra/paths.ts";

/** As deep as the bundle of the npm package, which finds its files from there. The same path, so that Node's cache counts. */
const outdir = join(paths.cache, "hubrelay");
const dayMs = 24 * 60 * 60_000;

async function bundleCommand(): Promise<void> {
  await build({
    ...moduleOptions,
    minify: false,
    entryPoints: { main: "cli/main.ts" },
    outdir,
    external: buildTools,
  });
  // Another run in this clone may still start what it has built.
  for (const name of await readdir(outdir)) {
    const file = join(outdir, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > dayMs) await rm(file);
  }
}

/**
 * Bundles the command once before all tests, as the npm package has it: they start it a hundred times. With
 * TESTED_COMMAND, they start that instead.
 */
export async function setup(project: TestProject): Promise<void> {
  if (process.env.TESTED_COMMAND) return;
  await bundleCommand();
  project.onTestsRerun(bundleCommand);
  process.env.TESTED_COMMAND = join(outdir, "main.js");
}
