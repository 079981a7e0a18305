import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { tickWindows } from "#functions/resync/window-tick.ts";
import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { reportedQueue } from "#shared/adapters/sqs/reported-queue.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { heartbeats } from "#shared/runtime/forwarder/heartbeat.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { type LeaseName, parseLeaseName } from "#shared/runtime/forwarder/lease.ts";
import { reportLogin } from "#shared/runtime/login-report.ts";
import { reportQueues } from "#shared/runtime/queue-report.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { longRunning, type ProcessHost } from "./long-running.ts";

export type ForwardOptions = Readonly<{ function?: readonly string[]; lease?: string; port?: number }>;

const own = "forward";

function leaseName(text: string): LeaseName {
  const lease = parseLeaseName(text);
  if (lease) return lease;
  throw new UsageError(`--lease ${text} is not namespace/name.`);
}

async function forwardUntil(
  { signal, log, readiness }: ProcessHost,
  options: ForwardOptions,
  chosen: typeof allWatches,
): Promise<void> {
  const lease = options.lease ? leaseName(options.lease) : undefined;
  const urls = queueUrls(process.env);
  const sentTo = chosen.map(({ queue: name }) => name);
  urls.require([...sentTo, ...urls.names]);
  const sqs = sqsClient(awsConnection(process.env));
  const heartbeat = heartbeats({
    queues: new Set(sentTo),
    log: log(own),
    now: () => new Date(),
    elapsedMs: () => performance.now(),
  });
  readiness(heartbeat.notReady);
  const note = heartbeat.log;
  const hub = await openHub(process.env, {
    onWatchError: ({ message }) => {
      heartbeat.watchFailed();
      note({ event: "retry", key: "hub", error: message, delaySeconds: 0, attempt: 1 });
    },
  });

  const forward = async (until: AbortSignal): Promise<void> => {
    const queue = (name: string) => sqsQueue(sqs, urls.of(name));
    const ended = new AbortController();
    const failed = new AbortController();
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
    const report = (names: readonly string[], onReport?: () => unknown) =>
      reportQueues({
        queues: names.map((name) => reportedQueue(sqs, name, urls.of(name))),
        signal: beside,
        log: note,
        onReport,
      });
    const reporting = report(sentTo, async () => {
      await reportLogin({ loginEnd: hub.loginEnd, log: note, now: () => new Date() });
      heartbeat.queuesResponded();
    });
    // Other functions send to these. Nobody else reports them while their workers have no pods; they are no part of the
    // heartbeat, since changes on the hub do not wait for them.
    const reportingOthers = report(urls.names.filter((name) => !sentTo.includes(name)));
    const besides = Promise.all([ticking, reporting, reportingOthers]);
    // What fails while changes are sent ends that as well, and is thrown below.
    besides.catch(() => failed.abort());
    const sendUntil = AbortSignal.any([until, failed.signal]);
    const sending = forwardChanges({ hub, allWatches: chosen, queue, signal: sendUntil, log: note });
    const unsent = await sending.finally(async () => {
      ended.abort();
      await besides;
    });
    if (unsent > 0)
      note({
        event: "failed",
        key: own,
        error: `${counted(unsent, "event")} ${unsent === 1 ? "was" : "were"} not sent; the next start sends all objects again`,
      });
  };
  try {
    if (!lease) return await forward(signal);
    const identity = `${hostname()}_${randomUUID()}`;
    const { annotations } = heartbeat;
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
