import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { startHealthServer } from "#shared/adapters/queue-worker/health-server.ts";
import { stdoutLog } from "#shared/adapters/telemetry/json-log.ts";
import { prometheusMetrics } from "#shared/adapters/telemetry/prometheus-metrics.ts";
import type { Log } from "#shared/ports/log.ts";
import { type LeaseName, parseLeaseName, podIdentity } from "#shared/runtime/forwarder/lease-candidate.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";

/** What `longRunning` gives to the command that it runs. */
export type ProcessHost = Readonly<{
  signal: AbortSignal;
  log(name: string): Log;
  /** Sets the readiness check: `notReady` returns the reason for a failure, `standby` a text with the leader's name. */
  readiness(notReady: () => string | undefined, standby?: () => string | undefined): void;
}>;

/** Parses `namespace/name` of a Lease. Throws `UsageError` for other texts. */
export function leaseName(text: string): LeaseName {
  const lease = parseLeaseName(text);
  if (lease) return lease;
  throw new UsageError(`--lease ${text} is not namespace/name.`);
}

/**
 * Returns the identity with which this process holds a Lease. A restarted container of a Pod keeps its identity, and so
 * its Lease. Outside Pods in the Lease's namespace, each identity is new.
 */
export function ownIdentity({ namespace }: LeaseName): string {
  const { HUBRELAY_POD_NAMESPACE, HUBRELAY_POD_NAME: name, HUBRELAY_POD_UID: uid } = process.env;
  return name && uid && HUBRELAY_POD_NAMESPACE === namespace
    ? podIdentity({ name, uid })
    : `${hostname()}_${randomUUID()}`;
}

/**
 * Runs a command until SIGTERM or SIGINT; a second signal ends the process at once. Serves health checks and metrics if
 * `port` is set. Returns the exit code.
 */
export async function longRunning(
  name: string,
  { functions, port }: Readonly<{ functions: readonly string[]; port: number | undefined }>,
  run: (host: ProcessHost) => Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  const metrics = prometheusMetrics();
  const log = (logName: string): Log => {
    const write = stdoutLog(process.env, { function: logName });
    const count = metrics.log(logName);
    return (entry) => {
      write(entry);
      count(entry);
    };
  };
  const own = log(name);
  let notReady = (): string | undefined => "It is starting.";
  let standby = (): string | undefined => undefined;

  const health =
    port === undefined
      ? undefined
      : await startHealthServer({
          port,
          notReady: () => (stop.signal.aborted ? "It is stopping." : notReady()),
          standby: () => standby(),
          metrics,
        });
  const handlers = (["SIGTERM", "SIGINT"] as const).map((signal) => {
    const handle = (): void => {
      own({ event: "stopping", process: name, reason: signal });
      for (const [other, listener] of handlers) process.off(other, listener);
      stop.abort();
    };
    process.on(signal, handle);
    return [signal, handle] as const;
  });
  own({ event: "started", process: name, functions, ...(health ? { address: health.address } : {}) });
  try {
    await run({
      signal: stop.signal,
      log,
      readiness: (check, standsBy = () => undefined) => {
        notReady = check;
        standby = standsBy;
      },
    });
    own({ event: "stopped", process: name });
    return exitCodes.fine;
  } finally {
    for (const [signal, listener] of handlers) process.off(signal, listener);
    await health?.close();
  }
}
