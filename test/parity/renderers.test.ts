import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { kustomize } from "../cluster/support/manifests/kustomize.ts";
import { helm } from "../cluster/support/programs/programs.ts";
import { folderOf, rendered, repositories, repositoryPage } from "../support/golden/repository-page.ts";
import { sharedFolder, temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "../system/cli-in-process.ts";

/* What the real kustomize and Helm make of folders, and what they say about those that they cannot render. */

const programs = sharedFolder();
beforeAll(async () => {
  await symlink(await kustomize(console.log), join(programs.path, "kustomize"));
  await symlink(await helm(console.log), join(programs.path, "helm"));
}, 600_000);

test.for(Object.keys(rendered))(
  "When the real program renders the repository %s, its page should be that of the stand-in",
  async (name) => {
    const page = await readFile(join(repositories, `${name}.md`), "utf8");
    expect(await repositoryPage(name, programs.path)).toBe(page);
  },
);

/** Returns a repository in which a part of a file is another. */
async function damaged(name: string, file: string, part: string, by: string): Promise<string> {
  const folder = await temporaryFolder();
  await folderOf(name, ["base"], folder);
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  expect(text).toContain(part);
  await writeFile(
    path,
    text.replace(part, () => by),
  );
  return folder;
}

const overlay = "overlays/prod/kustomization.yaml";
const template = "charts/mirrors/templates/digest-mirrors.yaml";
const values = "charts/mirrors/values.yaml";

const patch = "overlays/prod/mirrors-patch.yaml";
const failed = `${overlay}:1:1: error: kustomize failed: `;

test.for([
  ["a base is missing", overlay, "../../base", "../../bases", `${failed}accumulating resources: `],
  ["a patch changes what does not exist", patch, "0/mirrors", "7/mirrors", failed],
  ["a kustomization is no YAML", overlay, "resources:", "resources: [", `${failed}invalid Kustomization: `],
  [
    "a template cannot be parsed",
    template,
    "{{- end }}",
    "{{- end",
    `${template}:12:1: error: helm failed: `,
  ],
  ["a value is missing", template, "$.Values.mirror", "$.Values.o.mirror", `${template}:10:10: error: `],
  ["a template makes no YAML", template, "name: {{", "name: a: {{", `${template}:1:1: error: helm failed: `],
  [
    "the values are no YAML",
    values,
    "mirror: ",
    "mirror: a: ",
    "charts/mirrors/Chart.yaml:1:1: error: helm failed: ",
  ],
] as const)(
  "When %s, validate and diff should have one issue about it",
  async ([, file, part, by, issue]) => {
    const name = file.startsWith("charts") ? "helm" : "kustomize";
    const cwd = await damaged(name, file, part, by);
    const before = await temporaryFolder();
    await folderOf(name, ["base"], before);
    await cp(before, join(cwd, "old"), { recursive: true });
    const [options = "", side = ""] = rendered[name] ?? [];
    const variables = { PATH: programs.path };
    const checked = await hubrelay(["validate", ...options.split(" ")], { cwd, variables });
    expect(checked.exitCode).toBe(1);
    const [first = "", ...others] = checked.stderr
      .split("\n")
      .filter((line) => /: (?:error|warning): /.test(line));
    expect([first.slice(0, issue.length), others]).toEqual([issue, []]);
    expect(first).toMatch(/ \[RenderFailed\]$/);
    expect(checked.stderr).toMatch(/\n {4}Fix: Correct what it names, until [\s\S]* prints manifests/);
    expect(first).not.toContain("--debug");
    const sides = [side.replace(":", ":old/"), side];
    const compared = await hubrelay(["diff", ...sides, "-o", "markdown"], { cwd, variables });
    expect(compared).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(first) });
    expect(checked.stderr).toContain(compared.stderr);
    expect(compared.stdout).toContain("### ❌ hubrelay: 1 error · the cost is not known\n");
  },
);
