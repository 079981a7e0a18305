import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { folderOf, repositories, repositoryPage } from "../support/golden/repository-page.ts";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "../system/cli-in-process.ts";

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

/**
 * Stands in for kustomize and Helm: prints what they make of the folder that is the last argument, with the origin of each
 * object in the base where a kustomization elsewhere asks for it.
 */
const standIn = `#!${process.execPath}
const { existsSync, readFileSync } = require("node:fs");
const folder = process.argv.at(-1);
const print = (below, change) => process.stdout.write(change(readFileSync(below + "/.rendered", "utf8")));
if (existsSync(folder + "/.rendered")) print(folder, (text) => text);
else {
  const [inner] = JSON.parse(readFileSync(folder + "/kustomization.yaml", "utf8")).resources;
  const origin = "$&\\n  annotations:\\n    config.kubernetes.io/origin: |\\n      path: " + inner + "/../../base/$1.yaml";
  print(folder + "/" + inner, (text) => text.replaceAll(/^  name: (.*)/gm, origin));
}
`;

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

test("When rendered manifests are reported as JUnit, each object should be one test, in a file that exists", async () => {
  const cwd = await temporaryFolder();
  await folderOf("kustomize", ["base", "breaks"], cwd);
  const args = ["validate", "-k", "overlays/prod", "-k", "overlays/stage", "-o", "junit"];
  const { stdout } = await hubrelay(args, { cwd, variables: { PATH: programs.path } });
  expect(stdout.match(/(?<= tests=|<testcase .*file=)"[^>]*(?= time)/g)).toEqual([
    '"2" failures="1" errors="0" skipped="0"',
    '"2" failures="1" errors="0" skipped="0"',
    '"overlays/prod/mirrors-patch.yaml" line="3"',
    '"base/idms-operator-0.yaml"',
  ]);
});

test.for(names)(
  "When the repository %s is compared with a copy, it should fix nothing and exit 0",
  async (name) => {
    const cwd = await temporaryFolder();
    for (const side of ["old", "new"]) await folderOf(name, ["base", "breaks"], join(cwd, side));
    const { stdout, exitCode } = await hubrelay(["diff", "old", "new", "-o", "json"], { cwd });
    expect(exitCode).toBe(0);
    const { sides = [JSON.parse(stdout)] } = JSON.parse(stdout);
    for (const { issues, known, fixedIssues } of sides)
      expect({ issues, fixedIssues }).toEqual({ issues: known, fixedIssues: [] });
  },
);
