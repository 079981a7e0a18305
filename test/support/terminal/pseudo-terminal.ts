import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished as ofCurrentTest, vi } from "vitest";
import { commandFile } from "../processes/command-file.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { virtualTerminal } from "./virtual-terminal.ts";

const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
/** Why no test can have a terminal; undefined where they can. */
export const whyNoTerminal = hasScript
  ? undefined
  : "util-linux's script, which gives a process a terminal, is missing";

type Options = Readonly<{ variables?: NodeJS.ProcessEnv; onTestFinished?: typeof ofCurrentTest }>;

/** Runs `hubrelay` on a pseudo-terminal of this size. Tests that run concurrently pass their own `onTestFinished`. */
export async function startOnTerminal(
  columns: number,
  rows: number,
  args: readonly string[],
  { variables = {}, onTestFinished = ofCurrentTest }: Options = {},
) {
  const folder = await temporaryFolder(onTestFinished);
  const command = [process.execPath, commandFile, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} rows ${rows}; exec ${command}`, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, TERM: "xterm-256color", ...variables },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const terminal = virtualTerminal(columns, rows);
  let drawn = Promise.resolve();
  child.stdout.on("data", (chunk: Buffer) => {
    drawn = terminal.write(chunk);
  });
  // The terminal interprets output later than it gets it.
  const ended = once(child, "close").then(async ([exitCode]): Promise<unknown> => {
    await drawn;
    return exitCode;
  });
  return {
    folder,
    terminal,
    /** Resolves with the exit code, once the terminal shows all output. */
    ended,
    /** Waits until the visible screen matches. */
    shows: (pattern: RegExp) =>
      vi.waitFor(() => expect(terminal.visible().join("\n")).toMatch(pattern), {
        timeout: 60_000,
        interval: 50,
      }),
    press(keys: string) {
      child.stdin.write(keys);
    },
    interrupt() {
      child.stdin.write("\u0003");
      return ended;
    },
  };
}
