import { appendFile, cp } from "node:fs/promises";
import { join } from "node:path";
import { settingsFile } from "../../../cli/io/repository/settings.ts";
import { paths } from "../../../infra/paths.ts";
import { hubrelay } from "../../system/cli-in-process.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

/** Small repositories, as people keep manifests, and their pages. */
export const repositories = join(paths.root, "test/golden/repositories");

/** What is compared of a repository whose manifests a program makes, beside all of its files. */
export const rendered: Readonly<Record<string, readonly [options: string, side: string]>> = {
  kustomize: ["-k overlays/prod -k overlays/stage", "kustomize:overlays/prod"],
  helm: ["--helm charts/mirrors", "helm:charts/mirrors"],
};

const pullRequests = [
  { title: "A pull request that breaks it", before: ["base"], after: ["base", "breaks"] },
  { title: "A pull request that fixes that", before: ["base", "breaks"], after: ["base"] },
  { title: "A pull request that costs", before: ["base"], after: ["base", "drains"] },
  { title: "A pull request about something else", before: ["base"], after: ["base"] },
  {
    title: "A pull request that breaks it, and leaves that out",
    before: ["base"],
    after: ["base", "breaks"],
    settings: 'exclude: ["**"]\n',
  },
];

/** Copies layers of a repository over each other into a folder. */
export async function folderOf(repository: string, layers: readonly string[], folder: string): Promise<void> {
  for (const layer of layers)
    await cp(join(repositories, repository, layer), folder, { recursive: true, force: true });
}

async function shown(command: string, cwd: string, programs: string): Promise<string> {
  const now = command.startsWith("diff") ? ["--now", "2026-03-02T09:00:00Z"] : [];
  const { stdout, exitCode } = await hubrelay([...command.split(" "), ...now], {
    cwd,
    variables: { PATH: programs },
    oneStream: true,
  });
  return `\`hubrelay ${command}\` exits with ${exitCode}:\n\n\`\`\`\`text\n${stdout.trimEnd()}\n\`\`\`\`\n`;
}

/**
 * Returns the page of a repository: what is said about pull requests that break it, fix it, and cost something. `programs`
 * is the folder of kustomize and Helm, or of what stands in for them.
 */
export async function repositoryPage(name: string, programs: string): Promise<string> {
  const [options, side] = rendered[name] ?? [];
  const at = (path: string, below: string) => path.replace(":", `:${below}/`);
  const commands = [
    "validate -f .",
    ...(options === undefined ? [] : [`validate ${options}`]),
    `diff ${side === undefined ? "../old ." : `${at(side, "../old")} ${side}`} -o markdown`,
  ];
  const parts = [`# ${name}\n`];
  for (const { title, before, after, settings } of pullRequests) {
    const folder = await temporaryFolder();
    await folderOf(name, before, join(folder, "old"));
    await folderOf(name, after, join(folder, "new"));
    if (settings) await appendFile(join(folder, "new", settingsFile), settings);
    parts.push(`## ${title}\n`);
    for (const command of commands) parts.push(await shown(command, join(folder, "new"), programs));
  }
  return parts.join("\n");
}
