import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { tickWindows } from "#functions/resync/window-tick.ts";
import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { queueUrls } from "#shared/adapters/sqs/queue-urls.ts";
import { reportedQueue } from "#shared/adapters/sqs/reported-queue.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import type { Log, LogEntry } from "#shared/ports/log.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { heartbeatAnnotation, type LeaseName, parseLeaseName } from "#shared/runtime/forwarder/lease.ts";
import { reportLogin } from "#shared/runtime/login-report.ts";
import { reportQueues } from "#shared/runtime/queue-report.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { longRunning, type ProcessHost } from "./long-running.ts";

export type ForwardOptions = Readonly<{ function?: readonly string[]; lease?: string; port?: number }>;

const own = "forward";
/** How long a failed watch keeps a heartbeat back: longer than the pauses between attempts. */
const watchFailureMs = 120_000;

function leaseName(text: string): LeaseName {
  const lease = parseLeaseName(text);
  if (lease) return lease;
  throw new UsageError(`--lease ${text} is not namespace/name.`);
}

/** Returns why the forwarder is not ready: a leader is ready after its initial sync, a standby always. */
function readinessOf(entry: LogEntry, before: string | undefined): string | undefined {
  if (entry.event === "synced" || entry.event === "standing-by") return undefined;
  if (entry.event === "leading") return "The hub's objects are being sent.";
  return before;
}

async function forwardUntil(
  { signal, log, readiness }: ProcessHost,
  options: ForwardOptions,
  chosen: typeof allWatches,
): Promise<void> {
  const lease = options.lease ? leaseName(options.lease) : undefined;
  const urls = queueUrls(process.env);
  const sqs = sqsClient(awsConnection(process.env));
  let notReady: string | undefined = "The hub's objects have not been sent yet.";
  readiness(() => notReady);
  const write = log(own);
  const note: Log = (entry) => {
    notReady = readinessOf(entry, notReady);
    write(entry);
  };
  let watchFailedMs = Number.NEGATIVE_INFINITY;
  const hub = await openHub(process.env, {
    onWatchError: ({ message }) => {
      watchFailedMs = performance.now();
      note({ event: "retry", key: "hub", error: message, delaySeconds: 0, attempt: 1 });
    },
  });

  let heartbeat: Readonly<Record<string, string>> = {};
  const beat = () => {
    const at = new Date();
    heartbeat = { [heartbeatAnnotation]: at.toISOString() };
    note({ event: "heartbeat", atMs: at.getTime() });
  };
  const forward = async (until: AbortSignal): Promise<void> => {
    const queue = (name: string) => sqsQueue(sqs, urls.of(name));
    let isSynced = false;
    const noteSync: Log = (entry) => {
      note(entry);
      if (entry.event !== "synced") return;
      isSynced = true;
      beat(); // every queue has accepted what was sent to it
    };
    const ended = new AbortController();
    const beside = AbortSignal.any([until, ended.signal]);
    const delay = (ms: number) => sleep(ms, undefined, { signal: beside }).catch(() => undefined);
    const ticking = tickWindows({
      hub,
      served: chosen,
      queue,
      signal: beside,
      log: note,
      now: () => new Date(),
      delay,
    });
    const reporting = reportQueues({
      queues: chosen.map(({ queue: name }) => reportedQueue(sqs, name, urls.of(name))),
      signal: beside,
      log: note,
      onReport: async () => {
        await reportLogin({ loginEnd: hub.loginEnd, log: note, now: () => new Date() });
        if (isSynced && performance.now() - watchFailedMs > watchFailureMs) beat();
      },
    });
    const sending = forwardChanges({ hub, allWatches: chosen, queue, signal: until, log: noteSync });
    const unsent = await sending.finally(async () => {
      ended.abort();
      await Promise.all([ticking, reporting]);
    });
    if (unsent > 0)
      note({
        event: "failed",
        key: own,
        error: `${unsent} events were not sent; the next start sends all objects again`,
      });
  };
  try {
    if (!lease) return await forward(signal);
    const identity = `${hostname()}_${randomUUID()}`;
    const annotations = () => heartbeat;
    await whileLeading(
      { hub, lease, identity, signal, now: () => new Date(), log: note, annotations },
      forward,
    );
  } finally {
    hub.close();
  }
}

/**
 * Runs `hubrelay forward`: sends each change on the hub that affects these functions to their queues as an event, and
 * those of maintenance windows every minute.
 */
export function forward(options: ForwardOptions): Promise<number> {
  const chosen = chosenFunctions(allWatches, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => forwardUntil(host, options, chosen)),
  );
}
