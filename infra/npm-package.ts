/*
 * npm runs this before it packs: Node refuses to strip types below node_modules, so the published package
 * carries JavaScript (`dist/npm`) and declarations, made here. The repository itself never needs them.
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
  // All files in one folder, as deep as cli/program/package-files.ts, which finds examples/ by its own place.
  chunkNames: "[name]-[hash]",
  bundle: true,
  // Each command stays a file of its own, read only when it is called.
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node24",
  logLevel: "warning",
});
const tsc = join(paths.root, "node_modules/.bin/tsc");
await succeeded(tsc, ["--project", "infra/tsconfig.types.json"], { cwd: paths.root });
