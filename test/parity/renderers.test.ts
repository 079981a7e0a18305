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

test.for([
  {
    when: "a base is missing",
    change: ["kustomize", overlay, "../../base", "../../bases"],
    issue: `${overlay}:1:1: error: kustomize failed: accumulating resources: `,
  },
  {
    when: "a patch changes what does not exist",
    change: ["kustomize", "overlays/prod/mirrors-patch.yaml", "0/mirrors", "7/mirrors"],
    issue: `${overlay}:1:1: error: kustomize failed: `,
  },
  {
    when: "a kustomization is no YAML",
    change: ["kustomize", overlay, "resources:", "resources: ["],
    issue: `${overlay}:1:1: error: kustomize failed: invalid Kustomization: `,
  },
  {
    when: "a template cannot be parsed",
    change: ["helm", template, "{{- end }}", "{{- end"],
    issue: `${template}:12:1: error: helm failed: parse error at `,
  },
  {
    when: "a template names a value that is missing",
    change: ["helm", template, "$.Values.mirror", "$.Values.other.mirror"],
    issue: `${template}:10:10: error: `,
  },
  {
    when: "a template makes no YAML",
    change: ["helm", template, "name: {{", "name: a: {{"],
    issue: `${template}:1:1: error: helm failed: YAML parse error on `,
  },
  {
    when: "the values are no YAML",
    change: ["helm", values, "mirror: ", "mirror: a: "],
    issue: "charts/mirrors/Chart.yaml:1:1: error: helm failed: cannot load values.yaml: ",
  },
] as const)("When $when, validate and diff should have one issue about it", async ({ change, issue }) => {
  const [name, file, part, by] = change;
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
});
