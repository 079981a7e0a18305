import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { moduleOptions } from "../../../infra/bundle/bundle.ts";
import { buildTools } from "../../../infra/bundle/bundle-console.ts";
import { bundledCommand } from "../processes/command-file.ts";

async function bundleCommand(): Promise<void> {
  const outdir = dirname(bundledCommand);
  await rm(outdir, { recursive: true, force: true });
  await build({
    ...moduleOptions,
    minify: false,
    entryPoints: { main: "cli/main.ts" },
    outdir,
    external: ["yaml", ...buildTools],
  });
}

/**
 * Bundles the command once before all tests, as the npm package has it: they start it a hundred times. With
 * TESTED_COMMAND, they start that instead.
 */
export async function setup(project: TestProject): Promise<void> {
  if (process.env.TESTED_COMMAND) return;
  await bundleCommand();
  project.onTestsRerun(bundleCommand);
  process.env.TESTED_COMMAND = bundledCommand;
}
