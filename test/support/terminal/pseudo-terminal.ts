import { execFile, execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished as ofCurrentTest, vi } from "vitest";
import { commandFile } from "../processes/command-file.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

/** Why no test can have a terminal; undefined where they can. */
export const whyNoTerminal =
  spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0
    ? undefined
    : "tmux, which gives a process a terminal, is missing";

type Options = Readonly<{ variables?: NodeJS.ProcessEnv; onTestFinished?: typeof ofCurrentTest }>;

/** Runs `hubrelay` in a terminal of this size. Tests that run concurrently pass their own `onTestFinished`. */
export async function startOnTerminal(
  columns: number,
  rows: number,
  args: readonly string[],
  { variables = {}, onTestFinished = ofCurrentTest }: Options = {},
) {
  const folder = await temporaryFolder(onTestFinished);
  const server = ["-u", "-f", "/dev/null", "-S", join(await temporaryFolder(onTestFinished), "tmux")];
  const tmux = (...words: readonly string[]) =>
    execFileSync("tmux", [...server, ...words], {
      cwd: folder,
      env: { ...process.env, ...variables },
      encoding: "utf8",
    });
  const command = [process.execPath, commandFile, ...args].map((word) => `'${word}'`).join(" ");
  // The shell outlives Ctrl-C, and the terminal the process.
  const shell = `trap : INT; ${command}; tmux set -g @code $? \\; wait-for -S ended; exec sleep 600`;
  const size = ["-x", String(columns), "-y", String(rows)];
  const settings = ["set", "-g", "status", "off", ";", "set", "-g", "default-terminal", "xterm-256color"];
  tmux("start-server", ";", ...settings, ";", "new-session", "-d", ...size, shell);
  onTestFinished(() => void tmux("kill-server"));
  const visible = (): readonly string[] => tmux("capture-pane", "-p").replace(/\n$/, "").split("\n");
  const numberOf = (name: string) => Number(tmux("display-message", "-p", `#{${name}}`));
  const ended = promisify(execFile)("tmux", [...server, "wait-for", "ended"]).then(() => numberOf("@code"));
  // A test that fails earlier does not wait for it.
  ended.catch(() => undefined);
  return {
    folder,
    /** Returns the rows that a person sees, without trailing spaces. */
    visible,
    /** Returns how many rows have scrolled out of sight. */
    scrolledOut: () => numberOf("history_size"),
    isCursorVisible: () => numberOf("cursor_flag") === 1,
    /** Resolves with the exit code. */
    ended,
    /** Waits until the visible screen has matched each, all at once or one after the other. */
    shows(...patterns: readonly RegExp[]): Promise<void> {
      let left = patterns;
      const look = () => {
        const screen = visible().join("\n");
        left = left.filter((pattern) => !pattern.test(screen));
        expect({ left, screen }).toMatchObject({ left: [] });
      };
      return vi.waitFor(look, { timeout: 280_000, interval: 300 });
    },
    press: (key: string) => void tmux("send-keys", key),
    resize: (width: number, height: number) =>
      void tmux("resize-window", "-x", String(width), "-y", String(height)),
  };
}
