/*
 * Runs before `npm pack`: Node refuses to strip types below node_modules, so the published package contains JavaScript
 * (`dist/npm`) and declarations. The repository does not need them.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";

await rm(paths.npm, { recursive: true, force: true });
await build({
  absWorkingDir: paths.root,
  entryPoints: { main: "cli/main.ts", api: "shared/api.ts" },
  outdir: paths.npm,
  // All files in one folder at the depth of cli/program/package-files.ts, which finds examples/ relative to itself.
  chunkNames: "[name]-[hash]",
  bundle: true,
  // Each command is a separate file, loaded only when it is called.
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node24",
  logLevel: "warning",
});
const tsc = join(paths.root, "node_modules/.bin/tsc");
await succeeded(tsc, ["--project", "infra/tsconfig.types.json"], { cwd: paths.root });
