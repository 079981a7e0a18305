import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export type CommandOptions = Readonly<{ cwd: string; env?: NodeJS.ProcessEnv; input?: string }>;

/** The output and the exit code of a finished program. `code` is null if a signal ended the program. */
export type CommandResult = Readonly<{ code: number | null; stdout: string; stderr: string }>;

/** Returns the environment without the variables with which npm would use this package in every folder. */
export function outsideOfNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOfNpm = /^npm_(?:config_local_prefix|package_|lifecycle_)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfNpm.test(name)));
}

/** Runs a program to its end. Returns its output and exit code; throws only if the program cannot start. */
export async function finished(
  program: string,
  args: readonly string[],
  { cwd, env = process.env, input = "" }: CommandOptions,
): Promise<CommandResult> {
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  child.stdin.on("error", () => undefined); // the program need not read its input; its exit code counts
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** Runs a program and returns its output. If the program fails, throws an error with the last lines of the output. */
export async function succeeded(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const result = await finished(program, args, options);
  if (result.code === 0) return result;
  const printed = `${result.stdout}\n${result.stderr}`.trim().split("\n").slice(-20).join("\n");
  throw new Error(`${program} ${args.join(" ")} ended with ${result.code}:\n${printed}`);
}
