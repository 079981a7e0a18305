import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { paths } from "../../infra/paths.ts";

type Step = Readonly<{ command: string; reported: readonly string[] }>;

/** The commands in the `console` blocks of a page, each with its expected output. */
function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...reported] = part.trimEnd().split("\n");
        return { command, reported };
      }),
  );
}

/** A line as it may be shortened on the page: `…` matches anything. */
function pattern(line: string): RegExp {
  const parts = line.split("…").map((part) => RegExp.escape(part.trim()));
  return new RegExp(`^\\s*${parts.join(".*")}\\s*$`, "m");
}

const tutorials = join(paths.root, "docs/tutorials");

test.for(await readdir(tutorials))(
  "When the tutorial %s is followed to the letter, every command should print what the page shows",
  {
    timeout: 300_000,
  },
  async (page) => {
    const folder = await mkdtemp(join(tmpdir(), "hubrelay-tutorial-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, "bin"));
    await symlink(join(paths.root, "examples"), join(folder, "examples"));
    const program = `#!/bin/sh\nexec "${process.execPath}" "${join(paths.root, "cli/hubrelay.js")}" "$@"\n`;
    await writeFile(join(folder, "bin/hubrelay"), program, { mode: 0o755 });

    const steps = stepsOf(await readFile(join(tutorials, page), "utf8"));
    expect(steps.length).toBeGreaterThan(2);
    // One shell for all, as a person has it; a mark after each command separates its output from the next one's.
    const { HUBRELAY_HUB: _, ...others } = process.env;
    const env = { ...others, PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}` };
    const shell = spawn("sh", [], { cwd: folder, env });
    shell.stdin.end(steps.map(({ command }) => `${command} 2>&1\necho "=== done"\n`).join(""));
    const outputs = (await text(shell.stdout)).split("=== done\n");
    for (const [index, { command, reported }] of steps.entries())
      for (const line of reported) expect(outputs[index], command).toMatch(pattern(line));
  },
);
