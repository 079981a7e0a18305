import { isSecretName, redacted, redactTexts } from "../../domain/text/redact.ts";
import type { Log, LogEntry } from "../../ports/log.ts";
import { type Environment, EnvironmentError } from "../settings/environment.ts";

const levels = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof levels)[number];

/** `error` means that a person must check. An error that a retry may fix has the level `warn`. */
const levelOf: Readonly<Record<LogEntry["event"], Level>> = {
  "event-received": "debug",
  "event-ignored": "debug",
  replaced: "info",
  decided: "info",
  issue: "warn",
  published: "info",
  written: "info",
  sent: "info",
  conflict: "info",
  requeued: "debug",
  retry: "warn",
  "dead-lettered": "error",
  reconciled: "info",
  handled: "debug",
  resynced: "info",
  failed: "error",
  noticed: "debug",
  forwarded: "debug",
  "not-forwarded": "warn",
  "outcomes-sent": "debug",
  "outcomes-refused": "warn",
  "hub-requested": "debug",
  synced: "info",
  "queue-depth": "debug",
  heartbeat: "debug",
  "heartbeat-read": "debug",
  "fleet-measured": "debug",
  login: "debug",
  clock: "debug",
  "windows-ticked": "debug",
  leading: "info",
  "lease-renewed": "debug",
  "standing-by": "info",
  started: "info",
  "queues-opened": "info",
  "functions-off": "warn",
  stopping: "info",
  stopped: "info",
};

const maxStringLength = 1_000;
const maxItems = 20;
const maxDepth = 5;

function loggable(value: unknown, depth: number, field: string): unknown {
  if (typeof value === "string") {
    const clean = String(redactTexts(value, field));
    return clean.length > maxStringLength ? `${clean.slice(0, maxStringLength)}…` : clean;
  }
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === maxDepth) return Array.isArray(value) ? "[…]" : "{…}";
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => loggable(item, depth + 1, field));
  return loggableFields(value, depth + 1);
}

function loggableFields(object: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object)
      .slice(0, maxItems)
      .map(([name, value]) => [name, isSecretName(name) ? redacted : loggable(value, depth, name)]),
  );
}

/** Returns a log that writes entries as JSON lines with time, level and `fields`. Entries below `level` are omitted. */
export function jsonLog(
  write: (line: string) => void,
  {
    level = "info",
    fields = {},
    now = () => new Date(),
  }: Readonly<{ level?: Level; fields?: Readonly<Record<string, string>>; now?: () => Date }> = {},
): Log {
  const lowest = levels.indexOf(level);
  return (entry) => {
    const entryLevel = levelOf[entry.event];
    if (levels.indexOf(entryLevel) < lowest) return;
    const own = loggableFields(entry, 0);
    write(JSON.stringify({ time: now().toISOString(), level: entryLevel, ...fields, ...own }));
  };
}

/** Returns a log on standard output with the level in HUBRELAY_LOG_LEVEL. Throws `EnvironmentError`. */
export function stdoutLog(environment: Environment, fields: Readonly<Record<string, string>> = {}): Log {
  const wanted = environment.HUBRELAY_LOG_LEVEL || "info";
  const level = levels.find((known) => known === wanted);
  if (!level)
    throw new EnvironmentError(
      `HUBRELAY_LOG_LEVEL is not a log level; it should be one of ${levels.join(", ")}.`,
    );
  return jsonLog((line) => process.stdout.write(`${line}\n`), { level, fields });
}
