import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { elapsedOf } from "../measure.ts";

/** The file of the command, as an argument of Node. */
export const commandFile = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

/**
 * Runs Node with these arguments and returns the milliseconds from start to end of its process. Throws when it has not ended
 * as expected.
 */
export function nodeTime(
  args: readonly string[],
  isExpected: (result: SpawnSyncReturns<string>) => boolean,
): Promise<number> {
  return elapsedOf(() => {
    const result = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
    if (isExpected(result)) return;
    const { status, stdout, stderr } = result;
    throw new Error(
      `node ${args.join(" ")} ended with status ${status}: ${stdout.slice(-300)}${stderr.slice(-300)}`,
    );
  });
}
