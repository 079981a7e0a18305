import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { repositories, repositoryPage } from "../support/golden/repository-page.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";

/* The parity tier compares the pages of `kustomize` and `helm` with those that the real programs make. */

const names = [
  "acm-policies",
  "app-of-apps",
  "environments",
  "flat",
  "helm",
  "hypershift",
  "kustomize",
  "oc-mirror",
  "ztp",
];

/** Stands in for kustomize and Helm: prints what they make of the folder that is the last argument. */
const standIn = '#!/bin/sh\nfor folder; do :; done\nexec /bin/cat "$folder/.rendered"\n';

const programs = sharedFolder();
beforeAll(async () => {
  for (const program of ["kustomize", "helm"])
    await writeFile(join(programs.path, program), standIn, { mode: 0o755 });
});

test("When a repository is added, there should be a page of it", async () => {
  const entries = await readdir(repositories, { withFileTypes: true });
  expect(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()).toEqual(names);
});

test.for(names)(
  "When pull requests of the repository %s are checked, people should read its page",
  async (name) => {
    await expect(await repositoryPage(name, programs.path)).toMatchFileSnapshot(
      join(repositories, `${name}.md`),
    );
  },
);
