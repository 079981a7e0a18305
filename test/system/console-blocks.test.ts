import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { finished } from "../../infra/run-program.ts";
import { blocksOf, outputPattern, stepsOf, wordsOf } from "../support/documentation/console-blocks.ts";
import { isForCluster, whyNotRun } from "../support/documentation/not-run.ts";
import { documentationPages } from "../support/documentation/pages.ts";
import { commandFile } from "../support/processes/command-file.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { environmentWith } from "./cli.ts";
import { hubrelay } from "./cli-in-process.ts";

/** What a page's commands find in the folder in which they run, beside the folders of a checkout. */
const given: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/explanation/mirror-config.md": {
    "release.json": JSON.stringify({ references: { spec: { tags: [] } } }),
  },
};

type Folder = Readonly<{ cwd: string; path: string }>;

async function startFolder(page: string): Promise<Folder> {
  const cwd = await temporaryFolder();
  for (const name of ["examples", "infra"]) await symlink(join(paths.root, name), join(cwd, name));
  await symlink(join(paths.root, "test/golden/repositories/ztp/base"), join(cwd, "ztp"));
  await mkdir(join(cwd, ".bin"));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${commandFile}" "$@"\n`;
  await writeFile(join(cwd, ".bin/hubrelay"), program, { mode: 0o755 });
  for (const [name, content] of Object.entries(given[page] ?? {})) await writeFile(join(cwd, name), content);
  return { cwd, path: [join(cwd, ".bin"), process.env.PATH].join(delimiter) };
}

type Output = Readonly<{ code: number | null; stdout: string }>;

/** Runs a command as a person would in a shell, in the process of the test where it needs no shell. */
async function outputOf(
  command: string,
  variables: Record<string, string>,
  { cwd, path }: Folder,
): Promise<Output> {
  const [name, ...args] = wordsOf(command) ?? [];
  if (name === "export") {
    const [variable = "", value = ""] = args.join("=").split("=", 2);
    variables[variable] = value;
    return { code: 0, stdout: "" };
  }
  if (name === "hubrelay") {
    const { exitCode, stdout } = await hubrelay(args, { cwd, variables, oneStream: true });
    return { code: exitCode, stdout };
  }
  const env = environmentWith({ variables: { ...variables, PATH: path } });
  return finished("sh", ["-c", `exec 2>&1; ${command}`], { cwd, env });
}

const pages = (await documentationPages()).map(({ page, text }) => {
  const typed = stepsOf(text).filter(({ command }) => !isForCluster(page, command));
  return { page, text, steps: typed.filter(({ command }) => !whyNotRun(page, command)), typed };
});

test.for(pages.filter(({ steps }) => steps.length > 0))(
  "When the commands on $page are run, they should print what the page shows",
  { timeout: 300_000 },
  async ({ page, steps }) => {
    const folder = await startFolder(page);
    const variables = {};
    for (const { command, shown } of steps) {
      const { code, stdout } = await outputOf(command, variables, folder);
      // 1 says that the input has errors, as that of the examples does.
      expect([0, 1], `${command}: ${stdout}`).toContain(code);
      if (shown.length > 0 && !outputPattern(shown).test(stdout))
        expect(stdout, command).toBe(shown.join("\n"));
    }
  },
);

/** The first lines of scripts, which are in blocks of `sh`. */
const scripts = pages.flatMap(({ page, text }) =>
  blocksOf(text, "sh").map((script) => ({ page, command: script.split("\n", 1).join() })),
);

test("When a page has a block of sh, the list of what is not run should have its reason", () => {
  const left = scripts.filter(
    ({ page, command }) => !isForCluster(page, command) && !whyNotRun(page, command),
  );
  expect(left).toEqual([]);
});

const notHere = [
  ...pages.flatMap(({ page, typed }) => typed.map(({ command }) => ({ page, command }))),
  ...scripts,
].flatMap(({ page, command }) => {
  const why = whyNotRun(page, command);
  return why ? [{ page, command, why }] : [];
});

for (const [, commands] of Map.groupBy(notHere, ({ page, why }) => `${page} ${why}`)) {
  const [{ page = "", command = "", why } = {}] = commands;
  const others = commands.length > 1 ? ` and ${commands.length - 1} more` : "";
  test.skipIf(true)(`${page}: ${command}${others}`, because(why), () => undefined);
}
