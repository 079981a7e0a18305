import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { functionNames } from "../../infra/bundle/bundle.ts";
import { packagesIn } from "../../infra/bundle/bundle-contents.ts";
import { paths } from "../../infra/paths.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { unzip } from "./function-process.ts";

const names = (await functionNames()).map((name) => ({ name }));

test.for(names)(
  "When the artefact of $name is unzipped, it should hold the bundle and nothing else",
  async ({ name }) => {
    const folder = await temporaryFolder();
    await unzip(join(paths.lambda, `${name}.zip`), folder);
    const written = await readdir(join(paths.lambda, name));
    const bundle = written.filter((file) => file.endsWith(".mjs")).sort();
    expect((await readdir(folder)).sort()).toEqual(bundle);
    for (const file of bundle)
      expect(await readFile(join(folder, file))).toEqual(await readFile(join(paths.lambda, name, file)));
  },
);

/** Returns the packages in the files that are loaded with the handler, without those imported when they are needed. */
function loadedAtStart(metafile: Metafile): readonly string[] {
  const entry = Object.keys(metafile.outputs).find((path) => path.endsWith("/handler.mjs")) ?? "";
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { path: imported, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === "import-statement" && metafile.outputs[imported]) loaded.add(imported);
  }
  const outputs = Object.entries(metafile.outputs).filter(([path]) => loaded.has(path));
  return packagesIn({ ...metafile, outputs: Object.fromEntries(outputs) });
}

test.for(names)("When $name starts, it should not load the clients of AWS yet", async ({ name }) => {
  const text = await readFile(join(paths.lambda, name, "metafile.json"), "utf8");
  const packages = loadedAtStart(JSON.parse(text));
  expect(packages).toContain("@middy/core");
  expect(packages.filter((item) => /^@(?:aws-sdk|smithy)\//.test(item))).toEqual([]);
});
