import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleHandler, functionNames } from "../../infra/bundle.ts";
import { lambdaArchive } from "../../infra/lambda-archive.ts";
import { paths } from "../../infra/paths.ts";
import { unzip } from "./function-process.ts";

const names = (await functionNames()).map((name) => ({ name }));

test.for(names)(
  "When $name is packaged again from the same sources, it should give the same bytes",
  async ({ name }) => {
    const { files } = await bundleHandler(`functions/${name}/handler.ts`);
    const packaged = await readFile(join(paths.lambda, `${name}.zip`));
    expect(Buffer.compare(lambdaArchive(files), packaged)).toBe(0);
  },
);

test.for(names)(
  "When the artefact of $name is unzipped, it should hold the bundle and nothing else",
  async ({ name }) => {
    const folder = await mkdtemp(join(tmpdir(), "hubrelay-artefact-"));
    await unzip(join(paths.lambda, `${name}.zip`), folder);
    const written = await readdir(join(paths.lambda, name));
    const bundle = written.filter((file) => file.endsWith(".mjs")).sort();
    expect((await readdir(folder)).sort()).toEqual(bundle);
    for (const file of bundle)
      expect(await readFile(join(folder, file))).toEqual(await readFile(join(paths.lambda, name, file)));
    await rm(folder, { recursive: true });
  },
);
