import type { Log } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";
import { emfMetrics } from "../telemetry/emf-metrics.ts";
import { stdoutLog } from "../telemetry/stdout-log.ts";

/**
 * The log of a function on Lambda, and with HUBRELAY_METRICS=emf the metrics that are made from it, under the name
 * that Lambda gives to the function. Metrics count every entry, whatever HUBRELAY_LOG_LEVEL lets through.
 */
export function lambdaLog(environment: Environment): Log {
  const log = stdoutLog(environment);
  const wanted = environment.HUBRELAY_METRICS || "none";
  if (wanted !== "none" && wanted !== "emf")
    throw new EnvironmentError("HUBRELAY_METRICS is no way to tell metrics; it should be emf or none.");
  if (wanted === "none") return log;
  const functionName = environment.AWS_LAMBDA_FUNCTION_NAME || "unknown";
  const count = emfMetrics((line) => process.stdout.write(`${line}\n`), { functionName });
  return (entry) => {
    log(entry);
    count(entry);
  };
}
