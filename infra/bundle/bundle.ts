import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Metafile, type OutputFile } from "esbuild";
import { zipSync } from "fflate";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { paths } from "../paths.ts";
import { packagesIn, refuseForeignPackages } from "./bundle-contents.ts";
import { leaner } from "./bundle-plugins.ts";

/** The contents of files by name. */
export type BundledFiles = Readonly<Record<string, Uint8Array>>;

/** Defines `require` for bundled CommonJS code, because ES modules have no `require`. */
export const requireForCommonJs =
  'import{createRequire as hubrelayRequire}from"node:module";const require=hubrelayRequire(import.meta.url);';

/** esbuild's options for a program as ES modules for Node 24. Each dynamic import gets a file of its own. */
export const moduleOptions: BuildOptions = {
  absWorkingDir: paths.root,
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // esbuild removes unused code only from ES modules. In the AWS SDK, a third of the code is unused.
  mainFields: ["module", "main"],
  legalComments: "none",
  plugins: leaner,
  // This switch of undici leaves out its experimental second HTTP parser (150 kB).
  define: { esbuildDetection: "true" },
  banner: { js: requireForCommonJs },
  logLevel: "warning",
};

/** Returns the names of the functions, sorted. A function is a folder of `functions/` with a `handler.ts`. */
export async function functionNames(): Promise<readonly string[]> {
  const folders = await readdir(paths.functions);
  return folders.filter((name) => existsSync(join(paths.functions, name, "handler.ts"))).sort(byCodeUnit);
}

/**
 * Bundles a function with all its imports, including the AWS SDK, so that a deployed version does not change with the
 * Lambda runtime's copy. Returns the path of its zip archive.
 */
export async function bundleFunction(name: string): Promise<string> {
  const { files, maps, metafile } = await bundleHandler(`functions/${name}/handler.ts`);
  refuseForeignPackages(name, packagesIn(metafile));
  const zipPath = join(paths.lambda, `${name}.zip`);
  const folder = join(paths.lambda, name);
  await rm(folder, { recursive: true, force: true });
  await writeFiles(folder, { ...files, ...maps, "metafile.json": JSON.stringify(metafile) });
  await writeFile(zipPath, lambdaArchive(files));
  return zipPath;
}

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

/** Bundles a handler file for Lambda. A dynamic import gets a file of its own, which a cold start does not read. */
export async function bundleHandler(
  entryPoint: string,
): Promise<Readonly<{ files: BundledFiles; maps: BundledFiles; metafile: Metafile }>> {
  const { outputFiles, metafile } = await build({
    ...moduleOptions,
    entryPoints: { handler: entryPoint },
    outdir: "dist/lambda",
    outExtension: { ".js": ".mjs" },
    sourcemap: "external",
    metafile: true,
    write: false,
  });
  return { files: withEnding(outputFiles, ".mjs"), maps: withEnding(outputFiles, ".map"), metafile };
}

function withEnding(files: readonly OutputFile[], ending: string): BundledFiles {
  const wanted = files.filter(({ path }) => path.endsWith(ending));
  return Object.fromEntries(wanted.map(({ path, contents }) => [basename(path), contents]));
}

const unix = 3;
/** The file mode in the archive. Lambda runs the code as another user, so everyone may read the file. */
const readableByAll = 0o100644 << 16;

/** Returns the zip archive for Lambda. Equal files give equal bytes: the date is the format's oldest, in local time. */
export function lambdaArchive(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const options = { level: 9, mtime: new Date(1980, 0, 1), os: unix, attrs: readableByAll } as const;
  const sorted = Object.entries(files).sort(([a], [b]) => byCodeUnit(a, b));
  return zipSync(Object.fromEntries(sorted), options);
}
