import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { moduleOptions } from "../../../infra/bundle/bundle.ts";
import { buildTools } from "../../../infra/bundle/bundle-console.ts";
import { paths } from "../../../infra/paths.ts";

/** A folder of this run's own, as deep as the bundle of the npm package, which finds its files from there. */
const outdir = join(paths.cache, `hubrelay-${process.pid}`);

async function bundleCommand(): Promise<void> {
  await build({
    ...moduleOptions,
    minify: false,
    entryPoints: { main: "cli/main.ts" },
    outdir,
    external: buildTools,
  });
}

/**
 * Bundles the command once before all tests, as the npm package has it: they start it a hundred times. With
 * TESTED_COMMAND, they start that instead.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TESTED_COMMAND) return undefined;
  await bundleCommand();
  project.onTestsRerun(bundleCommand);
  process.env.TESTED_COMMAND = join(outdir, "main.js");
  return () => rm(outdir, { recursive: true, force: true });
}
