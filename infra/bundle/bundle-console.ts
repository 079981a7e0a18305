import { join } from "node:path";
import type { Metafile } from "esbuild";
import { buildAssets } from "../../console/server/build-assets.ts";
import { writeFiles } from "./bundle.ts";

/** Packages that only a checkout has. Bundles never load them: what they would build is beside the bundles. */
export const buildTools = ["esbuild"];

/**
 * Writes what the console's pages load into the folder of a bundle, where the console looks for it. Returns the metafile
 * of both, which names every package that is in them.
 */
export async function withConsole(bundle: Metafile, folder: string): Promise<Metafile> {
  const { files, metafile } = await buildAssets();
  await writeFiles(join(folder, "console"), Object.fromEntries(files));
  return {
    inputs: { ...bundle.inputs, ...metafile.inputs },
    outputs: { ...bundle.outputs, ...metafile.outputs },
  };
}
