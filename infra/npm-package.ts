/*
 * Runs before `npm pack`; `postpack` restores package.json. The package has JavaScript and declarations, because Node
 * refuses to strip types below node_modules. The dependencies are bundled: in full they would take twenty times the
 * space. The only dependency left is `yaml`, since declarations use its types. The package also runs on Node 22.
 */

import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import packageJson from "../package.json" with { type: "json" };
import { moduleOptions } from "./bundle/bundle.ts";
import { buildTools, withConsole } from "./bundle/bundle-console.ts";
import { licencesOf } from "./bundle/bundle-contents.ts";
import { paths } from "./paths.ts";
import { npmPackageSbom } from "./release/sbom.ts";
import { succeeded } from "./run-program.ts";

await rm(paths.npm, { recursive: true, force: true });
const bundle = await build({
  ...moduleOptions,
  target: "node22.19",
  inject: ["infra/bundle/node-22.ts"],
  // All files are in one folder, as deep as cli/program/package-files.ts, which finds examples/ relative to itself.
  entryPoints: { main: "cli/main.ts", api: "shared/api.ts" },
  outdir: paths.npm,
  external: buildTools,
  metafile: true,
});
const metafile = await withConsole(bundle.metafile, paths.npm);
await writeFile(join(paths.npm, "licences.txt"), await licencesOf(metafile));
await writeFile(join(paths.npm, "sbom.cdx.json"), await npmPackageSbom(metafile));
const tsc = join(paths.root, "node_modules/.bin/tsc");
await succeeded(tsc, ["--project", "infra/tsconfig.types.json"], { cwd: paths.root });

const { devDependencies: _build, dependencies, ...manifest } = packageJson;
await copyFile(join(paths.root, "package.json"), join(paths.root, "dist/package.json"));
await writeFile(
  join(paths.root, "package.json"),
  `${JSON.stringify({ ...manifest, dependencies: { yaml: dependencies.yaml } }, null, 2)}\n`,
);
