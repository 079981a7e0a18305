import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { paths } from "../../../infra/paths.ts";
import { virtualTerminal } from "./virtual-terminal.ts";

const main = join(paths.root, "cli/main.ts");
const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
/** Why no test can have a terminal; undefined where they can. */
export const whyNoTerminal = hasScript
  ? undefined
  : "util-linux's script, which gives a process a terminal, is missing";

/** Runs `hubrelay` on a pseudo-terminal of this size. */
export async function startOnTerminal(
  columns: number,
  rows: number,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "hubrelay-screen-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} rows ${rows}; exec ${command}`, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, TERM: "xterm-256color", ...variables },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const terminal = virtualTerminal(columns, rows);
  child.stdout.on("data", (chunk: Buffer) => terminal.write(chunk));
  const ended = once(child, "close");
  return {
    folder,
    terminal,
    ended,
    /** Waits until the visible screen matches. */
    shows: (pattern: RegExp) =>
      expect.poll(() => terminal.visible().join("\n"), { timeout: 60_000, interval: 50 }).toMatch(pattern),
    async interrupt() {
      child.stdin.write("\u0003");
      const [exitCode] = await ended;
      return exitCode;
    },
  };
}
