import { setTimeout as sleep } from "node:timers/promises";
import { reportFleetUntil } from "#functions/resync/fleet-report.ts";
import { tickWindows } from "#functions/resync/ticks.ts";
import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { type OpenHub, openHub } from "#shared/adapters/hub/open-hub.ts";
import { runUntil } from "#shared/adapters/network/requests.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { reportedQueue } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import type { Log } from "#shared/ports/log.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { type Forwarder, forwarder } from "#shared/runtime/forwarder/forward.ts";
import { heartbeats } from "#shared/runtime/forwarder/heartbeat.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { type ReportedQueue, reportHub, reportQueues } from "#shared/runtime/reports.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenByName } from "../../program/option-values.ts";
import { leaseName, longRunning, ownIdentity, type ProcessHost } from "./long-running.ts";
import { forwarderAccount, reviewedRights } from "./rights.ts";

/** Returns the heartbeats of a process that forwards events to these functions. */
export const heartbeatsOf = (served: readonly Watches[], log: Log) =>
  heartbeats({ queues: new Set(served.map(({ queue }) => queue)), log });

/** Returns a function that handles a failed watch: it pauses the heartbeats and writes to the log. */
export const watchErrorsTo =
  ({ watchFailed, log }: ReturnType<typeof heartbeats>) =>
  ({ message }: Error): void => {
    watchFailed();
    log({ event: "retry", key: "hub", error: message, delaySeconds: 0, attempt: 1 });
  };

type ForwardingOptions = Readonly<{
  name: string;
  hub: OpenHub;
  served: readonly Watches[];
  queue(name: string): Required<ReportedQueue>;
  /** Queues to which this process sends nothing, but whose length it reports. */
  others: readonly string[];
  heartbeat: ReturnType<typeof heartbeats>;
  forwarder: Forwarder;
  owedSince?: Date | undefined;
  signal: AbortSignal;
}>;

/** Sends changes on the hub to the queues of functions until the signal aborts. Throws if a task fails. */
export async function forwardUntil({
  name,
  hub,
  served,
  queue,
  others,
  heartbeat,
  forwarder,
  owedSince,
  signal,
}: ForwardingOptions): Promise<void> {
  const { log } = heartbeat;
  const ended = new AbortController();
  const failed = new AbortController();
  const beside = AbortSignal.any([signal, ended.signal]);
  const now = () => new Date();
  const queueOf = (queueName: string) => queue(queueName).queue;
  const delay = (ms: number) => sleep(ms, undefined, { signal: beside }).catch(() => undefined);
  const tick = () => tickWindows({ hub, served, queue: queueOf, signal: beside, log, now, delay });
  const report = (names: readonly string[], onReport?: () => unknown) =>
    reportQueues({ queues: names.map(queue), signal: beside, log, onReport });
  const reportServed = () =>
    report(
      served.map((watches) => watches.queue),
      async () => {
        await reportHub({ hub, loginEnd: hub.loginEnd, log, now });
        heartbeat.queuesResponded();
      },
    );
  const measure = () => reportFleetUntil(beside, { hub, log, now, delay });
  // Requests fail once `beside` aborts: a server that does not respond must not block the shutdown.
  const besides = runUntil(beside, () => Promise.all([tick(), reportServed(), report(others), measure()]));
  // A failure of `besides` also ends the sending; `await besides` then throws the error.
  besides.catch(() => failed.abort());
  const sendUntil = AbortSignal.any([signal, failed.signal]);
  // Opens the watches, which stay open after the sending has ended.
  forwarder.watch();
  const sending = runUntil(ended.signal, () =>
    forwarder.forward({ queue: queueOf, signal: sendUntil, owedSince }),
  );
  const unsent = await sending.finally(async () => {
    ended.abort();
    await besides;
  });
  if (unsent > 0)
    log({
      event: "failed",
      key: name,
      error: `${counted(unsent, "event")} ${unsent === 1 ? "was" : "were"} not sent; the next start sends all objects again`,
    });
}

type ForwardOptions = Readonly<{ function?: readonly string[]; lease?: string; port?: number }>;

const own = "forward";

async function forwardWhileLeading(
  { signal, log, readiness }: ProcessHost,
  options: ForwardOptions,
  served: typeof allWatches,
): Promise<void> {
  const lease = options.lease ? leaseName(options.lease) : undefined;
  const urls = queueUrls(process.env);
  const sentTo = served.map(({ queue }) => queue);
  urls.require([...sentTo, ...urls.names]);
  const sqs = sqsClient(awsConnection(process.env));
  const heartbeat = heartbeatsOf(served, log(own));
  const hub = await openHub(process.env, { onWatchError: watchErrorsTo(heartbeat), log: log(own) });
  const rights = reviewedRights([forwarderAccount], { hubOf: () => hub, lease, signal });
  let nobodyLeads: string | undefined;
  readiness(
    () => hub.problem() ?? nobodyLeads ?? rights.notReady() ?? heartbeat.notReady(),
    heartbeat.standby,
  );
  const now = () => new Date();
  await using watching = forwarder({ hub, allWatches: served, signal, log: heartbeat.log, now });
  const forward = (until: AbortSignal) =>
    forwardUntil({
      name: own,
      hub,
      served,
      queue: (name) => reportedQueue(sqs, name, urls.of(name)),
      // While no pod works on one of these queues, only this process reports its length.
      others: urls.names.filter((name) => !sentTo.includes(name)),
      heartbeat,
      forwarder: watching,
      signal: until,
    });
  try {
    if (!lease) return await forward(signal);
    const { annotations } = heartbeat;
    await whileLeading(
      {
        hub,
        lease,
        process: own,
        identity: ownIdentity(lease),
        signal,
        now: () => new Date(),
        log: heartbeat.log,
        annotations,
        onAttempt: (problem) => {
          nobodyLeads = problem;
        },
      },
      forward,
    );
  } finally {
    hub.close();
  }
}

/** Runs `hubrelay forward`: sends events about changes on the hub to the queues of functions. Returns the exit code. */
export function forward(options: ForwardOptions): Promise<number> {
  const chosen = chosenByName("function", allWatches, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => forwardWhileLeading(host, options, chosen)),
  );
}
