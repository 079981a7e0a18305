/*
 * Runs before `npm pack`: Node refuses to strip types below node_modules, so the published package contains JavaScript
 * (`dist/npm`) and declarations. What runs is bundled: installed in full, the packages that it uses are twenty times as
 * large, mostly declarations and code that is never loaded. `yaml` is not: hubrelay's declarations name its types.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { moduleOptions } from "./bundle.ts";
import { packagesIn } from "./bundle-contents.ts";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";

/** Returns the name, version and licence of a package. */
async function licenceOf(name: string): Promise<string> {
  const folder = join(paths.root, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : await readFile(join(folder, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

await rm(paths.npm, { recursive: true, force: true });
const { metafile } = await build({
  ...moduleOptions,
  // All files in one folder at the depth of cli/program/package-files.ts, which finds examples/ relative to itself.
  entryPoints: { main: "cli/main.ts", api: "shared/api.ts" },
  outdir: paths.npm,
  external: ["yaml"],
  metafile: true,
});
const licences = await Promise.all(packagesIn(metafile).map(licenceOf));
await writeFile(join(paths.npm, "licences.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
const tsc = join(paths.root, "node_modules/.bin/tsc");
await succeeded(tsc, ["--project", "infra/tsconfig.types.json"], { cwd: paths.root });
