import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { byCodeUnit } from "#shared/domain/json/order.ts";
import { packagesIn, refuseForeignPackages } from "./bundle-contents.ts";
import { lambdaArchive } from "./lambda-archive.ts";
import { paths } from "./paths.ts";

/** The artifact of a function. `packages` are the names of its npm packages. Sizes in bytes. */
export type Bundle = Readonly<{
  name: string;
  zipPath: string;
  bundleBytes: number;
  zipBytes: number;
  packages: readonly string[];
}>;

/** Bundled CommonJS code calls `require` for Node's modules; ES modules have none. */
export const requireForCommonJs =
  'import{createRequire as hubrelayRequire}from"node:module";const require=hubrelayRequire(import.meta.url);';

/**
 * Removes unused modules of the Kubernetes client: its kubeconfig reader imports a module for each of a thousand API
 * types, and the package does not declare them free of side effects.
 */
export const withoutApiTypes: Plugin = {
  name: "without-api-types",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(?:models\/all|types\/ObjectParamAPI)\.js$/ }, ({ path, resolveDir }) =>
      resolveDir.endsWith("/@kubernetes/client-node/dist/gen")
        ? { path: join(resolveDir, path), sideEffects: false }
        : undefined,
    );
  },
};

/** Returns the functions: the folders of `functions/` with a `handler.ts`. */
export async function functionNames(): Promise<readonly string[]> {
  const folders = await readdir(paths.functions);
  return folders.filter((name) => existsSync(join(paths.functions, name, "handler.ts"))).sort(byCodeUnit);
}

/**
 * Bundles one function with all its imports, including the AWS SDK, so that a deployed version does not change with the
 * Lambda runtime's copy. Writes `dist/lambda/NAME/handler.mjs` and `NAME.zip`; equal sources give equal bytes. Beside the
 * bundle, but not in the archive: its source map, and esbuild's metafile with the origin of its bytes.
 * Throws if the bundle contains a package that is not permitted.
 */
export async function bundleFunction(name: string): Promise<Bundle> {
  const { code, map, metafile } = await bundleHandler(`functions/${name}/handler.ts`);
  const packages = packagesIn(metafile);
  refuseForeignPackages(name, packages);
  const archive = lambdaArchive(code);
  const zipPath = join(paths.lambda, `${name}.zip`);
  const folder = join(paths.lambda, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "handler.mjs"), code);
  await writeFile(join(folder, "handler.mjs.map"), map);
  await writeFile(join(folder, "metafile.json"), JSON.stringify(metafile));
  await writeFile(zipPath, archive);
  return { name, zipPath, bundleBytes: code.byteLength, zipBytes: archive.byteLength, packages };
}

/** Bundles a handler file, by its path from the root, to the single ES module that Lambda's Node 24 loads. */
export async function bundleHandler(
  entryPoint: string,
): Promise<Readonly<{ code: Uint8Array; map: Uint8Array; metafile: Metafile }>> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: paths.root,
    entryPoints: [entryPoint],
    outfile: "handler.mjs",
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // The SDK's ES modules can be tree-shaken, its CommonJS cannot: a third less code.
    mainFields: ["module", "main"],
    sourcemap: "external",
    legalComments: "none",
    plugins: [withoutApiTypes],
    banner: { js: requireForCommonJs },
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  return { code: outputOf(outputFiles, ".mjs"), map: outputOf(outputFiles, ".map"), metafile };
}

function outputOf(
  files: readonly Readonly<{ path: string; contents: Uint8Array }>[],
  ending: string,
): Uint8Array {
  const file = files.find(({ path }) => path.endsWith(ending));
  if (!file) throw new Error(`esbuild wrote no ${ending} file`);
  return file.contents;
}
