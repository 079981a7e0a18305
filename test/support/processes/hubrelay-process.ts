import { fileURLToPath } from "node:url";
import { type LoggingProcess, startLogging } from "./process-lines.ts";

const main = fileURLToPath(new URL("../../../cli/main.ts", import.meta.url));

/** Starts `hubrelay` with exactly this environment and reads the JSON lines that it logs. */
export function startHubrelay(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): LoggingProcess {
  return startLogging(main, args, environment);
}
