import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { paths } from "../paths.ts";
import { packageFoldersIn } from "./bundle-contents.ts";

/** Returns the licence texts of the packages in a bundle, each with name and version. */
export async function licencesOf(metafile: Metafile): Promise<string> {
  const licences = await Promise.all(packageFoldersIn(metafile).map(licenceIn));
  return licences.join(`\n${"-".repeat(80)}\n\n`);
}

async function licenceIn(folder: string): Promise<string> {
  const path = join(paths.root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const file = (await readdir(path)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : await readFile(join(path, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
