import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "../system/cli-in-process.ts";

const repositories = join(import.meta.dirname, "repositories");
const names = [
  "acm-policies",
  "app-of-apps",
  "environments",
  "flat",
  "helm",
  "hypershift",
  "kustomize",
  "oc-mirror",
];

/** Stands in for kustomize and Helm: prints what they make of the folder that is the last argument. */
const renderer = '#!/bin/sh\nfor folder; do :; done\nexec /bin/cat "$folder/.rendered"\n';

/** What is compared of a repository, beside all of its files. */
const rendered: Readonly<Record<string, readonly string[]>> = {
  kustomize: ["-k overlays/prod -k overlays/stage", "kustomize:overlays/prod"],
  helm: ["--helm charts/mirrors", "helm:charts/mirrors"],
};

const pullRequests = [
  { title: "A pull request that breaks it", before: ["base"], after: ["base", "breaks"] },
  { title: "A pull request that fixes that", before: ["base", "breaks"], after: ["base"] },
  { title: "A pull request that costs", before: ["base"], after: ["base", "drains"] },
];

async function folderOf(repository: string, layers: readonly string[], folder: string): Promise<void> {
  for (const layer of layers)
    await cp(join(repositories, repository, layer), folder, { recursive: true, force: true });
}

async function shown(command: string, cwd: string): Promise<string> {
  const variables = { PATH: join(cwd, "..", "bin") };
  const now = command.startsWith("diff") ? ["--now", "2026-03-02T09:00:00Z"] : [];
  const { stdout, exitCode } = await hubrelay([...command.split(" "), ...now], {
    cwd,
    variables,
    oneStream: true,
  });
  return `\`hubrelay ${command}\` exits with ${exitCode}:\n\n\`\`\`\`text\n${stdout.trimEnd()}\n\`\`\`\`\n`;
}

test("When a repository is added, there should be a page of it", async () => {
  const entries = await readdir(repositories, { withFileTypes: true });
  expect(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()).toEqual(names);
});

test.for(names)(
  "When pull requests of the repository %s are checked, people should read its page",
  async (name) => {
    const parts = [`# ${name}\n`];
    for (const { title, before, after } of pullRequests) {
      const folder = await temporaryFolder();
      await folderOf(name, before, join(folder, "old"));
      await folderOf(name, after, join(folder, "new"));
      for (const program of ["kustomize", "helm"])
        await cp(await standIn(folder), join(folder, "bin", program));
      const [options = "", side = ""] = rendered[name] ?? [];
      const at = (path: string, below: string) => path.replace(":", `:${below}/`);
      const commands = [
        "validate -f .",
        ...(options === "" ? [] : [`validate ${options}`]),
        `diff ${side === "" ? "../old ." : `${at(side, "../old")} ${side}`} -o markdown`,
      ];
      parts.push(`## ${title}\n`);
      for (const command of commands) parts.push(await shown(command, join(folder, "new")));
    }
    const page = parts.join("\n");
    await expect(page).toMatchFileSnapshot(join(repositories, `${name}.md`));
  },
);

async function standIn(folder: string): Promise<string> {
  const path = join(folder, "renderer");
  await writeFile(path, renderer, { mode: 0o755 });
  return path;
}
