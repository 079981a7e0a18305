import { commandFile } from "./command-file.ts";
import { type LoggingProcess, startLogging } from "./process-lines.ts";

/** Starts `hubrelay` with exactly this environment and reads the JSON lines that it logs. */
export function startHubrelay(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): LoggingProcess {
  return startLogging(commandFile, args, environment);
}
