import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { commandFile } from "../support/processes/command-file.ts";
import { skipBecause } from "../support/setup/skipped-tests.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { environmentWith } from "./cli.ts";
import { hubrelay } from "./cli-in-process.ts";

/** A folder with a program `hubrelay`, and files to complete. */
const folder = sharedFolder();
beforeAll(async () => {
  for (const name of ["bin", "work", "work/manifests"]) await mkdir(join(folder.path, name));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${commandFile}" "$@"\n`;
  await writeFile(join(folder.path, "bin/hubrelay"), program, { mode: 0o755 });
  await writeFile(join(folder.path, "work/mirrors.yaml"), "");
});

describe("what the last word may become", () => {
  const completed = async (...words: readonly string[]) => {
    const { stdout } = await hubrelay(["complete", "--", ...words]);
    const lines = stdout.trimEnd().split("\n");
    return { names: lines.slice(0, -1).map((line) => line.split("\t")[0]), besides: lines.at(-1) };
  };
  const nothing = ":4";

  test.for([
    { words: ["pre"], names: ["precache"] },
    { words: ["precache", "st"], names: ["status"] },
    { words: ["windows", "--ne"], names: ["--next"] },
    { words: ["windows", "-o", "y"], names: ["yaml"] },
    { words: ["windows", "--output=y"], names: ["--output=yaml"] },
    { words: ["hosted", "sh"], names: [] },
    { words: ["windows", "--next", "3", "--now", "x", "-o", "t"], names: ["table"] },
    { words: ["nonsense", "--nonsense", ""], names: [] },
    { words: ["completion", "z"], names: ["zsh"] },
  ])("When the words are $words, it should complete them to $names", async ({ words, names }) => {
    expect(await completed(...words)).toEqual({ names, besides: nothing });
  });

  test("When a command takes files or folders, the shell should complete those", async () => {
    expect(await completed("validate", "-f", "")).toEqual({ names: [], besides: ":0" });
    expect(await completed("validate", "a.yaml", "")).toEqual({ names: [], besides: ":0" });
    expect(await completed("diff", "mirrors/", "")).toEqual({ names: [], besides: ":0" });
    expect(await completed("render", "--dir", "")).toEqual({ names: [], besides: ":16" });
  });
});

/** Returns why a shell cannot be tried here. */
function missing(shell: string): string | undefined {
  const found = (process.env.PATH ?? "").split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, shell), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return found ? undefined : `${shell} is not installed`;
}

type Drive = (script: string, lines: readonly string[]) => string;

/** Reads the script twice, then completes each line, and prints the candidates of each on a line. */
const drivers: Readonly<Record<string, Drive>> = {
  bash: (script, lines) =>
    `source ${script}; source ${script}\n${lines
      .map(
        (line) =>
          `COMP_LINE='${line}' COMP_POINT=${line.length}; _hubrelay; printf '%s\\n' "\${COMPREPLY[@]}" | sort | paste -sd' '\n`,
      )
      .join("")}`,
  // Without an interactive shell, in which zsh's own functions work, they only print what they get.
  zsh: (script, lines) =>
    `compdef() { :; }; _files() { print -n "files $*" }
_describe() { print -n -- "\${(@)candidates%%:*}" }
source ${script}; source ${script}\n${lines
      .map((line) => `words=("\${(@s: :)\${:-"${line}"}}"); CURRENT=$#words; _hubrelay; print\n`)
      .join("")}`,
};

describe("completion in a shell", () => {
  const [command, value, file] = [
    "hubrelay hosted ex",
    "hubrelay windows --output=y",
    "hubrelay validate -f m",
  ];
  test.for([
    { shell: "bash", lines: [command, value, file], printed: ["explain", "yaml", "manifests mirrors.yaml"] },
    { shell: "zsh", lines: [command, file], printed: ["explain", "files "] },
  ])(
    "When $shell has read the script twice, it should complete commands, values and files",
    async ({ shell, lines, printed }, { skip, task }) => {
      const reason = missing(shell);
      if (reason !== undefined) skipBecause({ skip, task }, reason);
      const script = join(folder.path, `completion.${shell}`);
      await writeFile(script, (await hubrelay(["completion", shell])).stdout);
      const env = {
        ...environmentWith({}),
        PATH: `${join(folder.path, "bin")}${delimiter}${process.env.PATH}`,
        HOME: folder.path,
      };
      const child = spawn(shell, ["-c", drivers[shell]?.(script, lines) ?? ""], {
        cwd: join(folder.path, "work"),
        env,
      });
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect({ stdout, stderr }).toEqual({ stdout: `${printed.join("\n")}\n`, stderr: "" });
    },
  );
});

test.for(["bash", "zsh"])(
  "When the help for %s is requested, it should have the lines to install it",
  async (shell) => {
    const { stdout } = await hubrelay(["completion", shell, "--help"]);
    expect(stdout).toMatch(new RegExp(`Install it:\n  .*hubrelay completion ${shell}`));
    expect(stdout).toContain("npx --no-install hubrelay");
  },
);
