import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The path of the file that Node runs for the command `hubrelay`. */
export const commandFile = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

/** A bash script that runs its arguments, and prints the user and system seconds as the last line of standard error. */
const timed = 'TIMEFORMAT="%3U %3S"; exec 3>&2; time "$@" 2>&3';

/** Returns the milliseconds of processor time that Node with these arguments takes, with its child processes. */
export async function commandTime(
  args: readonly string[],
  isExpected: (result: Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">) => boolean,
): Promise<number> {
  const result = spawnSync("bash", ["-c", timed, "bash", process.execPath, ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const [, stderr = "", user, system] = /^(.*?)([\d.]+) ([\d.]+)\n$/s.exec(result.stderr) ?? [];
  const { status, stdout } = result;
  const ms = (Number(user) + Number(system)) * 1000;
  if (isExpected({ status, stdout, stderr }) && ms > 0) return ms;
  throw new Error(
    `node ${args.join(" ")} ended with status ${status}: ${stdout.slice(-300)}${result.stderr.slice(-300)}`,
  );
}
