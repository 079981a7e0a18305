import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

export type CommandResult = Readonly<{ stdout: string; stderr: string; exitCode: number | null }>;

/** The caller's environment without known hubs: a test must never reach a real cluster. */
function environment(hub: string | undefined): NodeJS.ProcessEnv {
  const { HUBRELAY_HUB: _, ...others } = process.env;
  return { ...others, KUBECONFIG: "/nonexistent/kubeconfig", ...(hub ? { HUBRELAY_HUB: hub } : {}) };
}

/** Runs the `hubrelay` command as a person would, in the test's own folder, and waits for its end. */
export async function hubrelay(
  args: readonly string[],
  {
    stdin = "",
    cwd,
    hub,
    variables = {},
  }: Readonly<{
    stdin?: string;
    cwd?: string;
    hub?: string;
    variables?: Readonly<Record<string, string>>;
  }> = {},
): Promise<CommandResult> {
  const env = { ...environment(hub), ...variables };
  const child = spawn(process.execPath, [main, ...args], { cwd, stdio: "pipe", env });
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, exitCode: await exit };
}
