import type { Log } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";
import { jsonLog, levels } from "./json-log.ts";

/**
 * Returns a log of JSON lines on standard output, where Lambda and Kubernetes collect them. HUBRELAY_LOG_LEVEL is the
 * lowest level written; `fields` are on every line.
 */
export function stdoutLog(environment: Environment, fields: Readonly<Record<string, string>> = {}): Log {
  const wanted = environment.HUBRELAY_LOG_LEVEL || "info";
  const level = levels.find((known) => known === wanted);
  if (!level)
    throw new EnvironmentError(
      `HUBRELAY_LOG_LEVEL is not a log level; it should be one of ${levels.join(", ")}.`,
    );
  return jsonLog((line) => process.stdout.write(`${line}\n`), { level, fields });
}
