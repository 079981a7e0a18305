import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

export type CommandResult = Readonly<{ stdout: string; stderr: string; exitCode: number | null }>;

/** Runs the `hubrelay` command as a person would, in a folder of the test's own, and waits for its end. */
export async function hubrelay(
  args: readonly string[],
  { stdin = "", cwd }: Readonly<{ stdin?: string; cwd?: string }> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [main, ...args], { cwd, stdio: "pipe" });
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, exitCode: await exit };
}
