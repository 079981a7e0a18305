import type { Log } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";
import { emfMetrics } from "../telemetry/emf-metrics.ts";
import { stdoutLog } from "../telemetry/stdout-log.ts";

/**
 * Returns the log of a function on Lambda, with HUBRELAY_METRICS=emf also its metrics, under the function's name on
 * Lambda. Metrics count every entry, whatever HUBRELAY_LOG_LEVEL is.
 */
export function lambdaLog(environment: Environment): Log {
  const log = stdoutLog(environment);
  const wanted = environment.HUBRELAY_METRICS || "none";
  if (wanted !== "none" && wanted !== "emf")
    throw new EnvironmentError("HUBRELAY_METRICS is invalid; it should be emf or none.");
  if (wanted === "none") return log;
  const functionName = environment.AWS_LAMBDA_FUNCTION_NAME || "unknown";
  const count = emfMetrics((line) => process.stdout.write(`${line}\n`), { functionName });
  return (entry) => {
    log(entry);
    count(entry);
  };
}
