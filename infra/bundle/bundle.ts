import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Metafile, type OutputFile } from "esbuild";
import { zipSync } from "fflate";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { paths } from "../paths.ts";
import { packagesIn, refuseForeignPackages } from "./bundle-contents.ts";
import { leaner } from "./bundle-plugins.ts";

/** The content of files by name. */
export type BundledFiles = Readonly<Record<string, Uint8Array>>;

/** Defines the `require` that bundled CommonJS code calls for Node's modules, since ES modules have no `require`. */
export const requireForCommonJs =
  'import{createRequire as hubrelayRequire}from"node:module";const require=hubrelayRequire(import.meta.url);';

/** The options for programs as ES modules for Node 24: each part that is imported dynamically is a separate file. */
export const moduleOptions: BuildOptions = {
  absWorkingDir: paths.root,
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Prefers a package's ES modules to its CommonJS: esbuild then removes unused code, a third of the AWS SDK's code.
  mainFields: ["module", "main"],
  legalComments: "none",
  plugins: leaner,
  // undici's own switch, which leaves out undici's experimental second HTTP parser (150 kB).
  define: { esbuildDetection: "true" },
  banner: { js: requireForCommonJs },
  logLevel: "warning",
};

/** Returns the names of the functions: these are the folders of `functions/` with a `handler.ts`. */
export async function functionNames(): Promise<readonly string[]> {
  const folders = await readdir(paths.functions);
  return folders.filter((name) => existsSync(join(paths.functions, name, "handler.ts"))).sort(byCodeUnit);
}

/**
 * Bundles one function with all its imports, including the AWS SDK, so that a deployed version does not change with the
 * Lambda runtime's copy. Writes `dist/lambda/NAME/` and `NAME.zip`, and returns the archive's path; equal sources give equal
 * bytes. The folder also has files that are not in the archive: source maps, and esbuild's metafile with the origin of the
 * bytes. Throws if the bundle contains a package that is not permitted.
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

/**
 * Bundles a handler file, by its path from the root, to ES modules for Lambda's Node 24: `handler.mjs`, and one file for
 * each dynamic import. In a single file every dynamic import would be read at every cold start, together with the unused
 * code of its packages.
 */
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
/** The attributes of an archived file: regular, and readable by all, since Lambda runs the code as another user. */
const readableByAll = 0o100644 << 16;

/**
 * Returns the zip archive for Lambda with the files of a bundle. Equal bundles give equal bytes: the files are sorted by
 * name, with the format's oldest date in local time.
 */
export function lambdaArchive(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const options = { level: 9, mtime: new Date(1980, 0, 1), os: unix, attrs: readableByAll } as const;
  const sorted = Object.entries(files).sort(([a], [b]) => byCodeUnit(a, b));
  return zipSync(Object.fromEntries(sorted), options);
}
