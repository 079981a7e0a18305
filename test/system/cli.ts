import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { commandFile } from "../support/processes/command-file.ts";

export type CommandResult = Readonly<{ stdout: string; stderr: string; exitCode: number | null }>;

export type CommandOptions = Readonly<{
  stdin?: string;
  cwd?: string;
  hub?: string;
  variables?: Readonly<Record<string, string>>;
}>;

/** The caller's environment without the hubs that it may know: a test must never reach somebody's cluster. */
export function environmentWith({ hub, variables = {} }: CommandOptions): NodeJS.ProcessEnv {
  const { HUBRELAY_HUB: _, ...others } = process.env;
  const named = hub ? { HUBRELAY_HUB: hub } : {};
  return { ...others, KUBECONFIG: "/nonexistent/kubeconfig", ...named, ...variables };
}

/** Runs the `hubrelay` command as a person would, in a process and a folder of its own, and waits for its end. */
export async function hubrelay(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { stdin = "", cwd } = options;
  const env = environmentWith(options);
  const child = spawn(process.execPath, [commandFile, ...args], { cwd, stdio: "pipe", env });
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, exitCode: await exit };
}
