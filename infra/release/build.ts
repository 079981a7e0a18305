import { copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { argv } from "node:process";
import packageJson from "../../package.json" with { type: "json" };
import { bundleFunction, functionNames } from "../bundle/bundle.ts";
import { platforms, sbomInImage } from "../image/root.ts";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { artefacts, sbomOf } from "./artefacts.ts";
import { chartArchive } from "./chart-archive.ts";
import { functionSbom } from "./sbom.ts";

/* Builds the artefacts of a release from this checkout, into the folder that the first argument names. */

const [, , folder = join(paths.root, "dist/release")] = argv;
const inFolder = (name: string) => join(folder, name);
await mkdir(folder, { recursive: true });

await succeeded("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: paths.root });
await copyFile(join(paths.npm, "sbom.cdx.json"), inFolder(sbomOf(artefacts.npmPackage)));

await writeFile(inFolder(artefacts.chart), await chartArchive());

for (const name of await functionNames()) {
  const archive = artefacts.functionArchive(name);
  const zipPath = await bundleFunction(name);
  await rename(zipPath, inFolder(archive));
  const metafile = JSON.parse(await readFile(join(paths.lambda, name, "metafile.json"), "utf8"));
  await writeFile(inFolder(sbomOf(archive)), await functionSbom(metafile));
}

await succeeded(process.execPath, ["infra/image/main.ts"], { cwd: paths.root });
await rename(join(paths.container, `hubrelay-${packageJson.version}.tar`), inFolder(artefacts.image));
for (const { architecture } of platforms) {
  const sbom = join(paths.container, architecture, "root", sbomInImage);
  await copyFile(sbom, inFolder(sbomOf(artefacts.imageFor(architecture))));
}
