import { join } from "node:path";
import type { Metafile } from "esbuild";
import { buildAssets } from "../../console/server/build-assets.ts";
import { writeFiles } from "./bundle.ts";

/** Packages that only a build uses. Bundles do not contain these packages. */
export const buildTools = ["esbuild"];

/** Writes the assets of the console's pages into the folder. Returns a metafile of the bundle and the assets. */
export async function withConsole(bundle: Metafile, folder: string): Promise<Metafile> {
  const { files, metafile } = await buildAssets();
  await writeFiles(join(folder, "console"), Object.fromEntries(files));
  return {
    inputs: { ...bundle.inputs, ...metafile.inputs },
    outputs: { ...bundle.outputs, ...metafile.outputs },
  };
}
