import { setTimeout as sleep } from "node:timers/promises";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { controllers } from "#functions/controllers.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { runUntil } from "#shared/adapters/network/batch-signal.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import { outcomeSettings } from "#shared/adapters/settings/outcome-settings.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError, isRetryable } from "#shared/ports/port-error.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { reportHub } from "#shared/runtime/hub-report.ts";
import { reportQueues } from "#shared/runtime/queue-report.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { longRunning, type ProcessHost } from "./long-running.ts";
import { reviewedRights } from "./rights.ts";
import { planningOf, workers } from "./working.ts";

export type WorkOptions = Readonly<{ function?: readonly string[]; concurrency: number; port?: number }>;

const own = "work";

/** Logs every minute how much waits for each subscriber that has a queue of its own, also while nothing is published. */
function reportSubscribers(sqs: SQSClient, signal: AbortSignal, log: Log): Promise<void> {
  const { subscribers = [] } = outcomeSettings(process.env);
  return reportQueues({
    queues: subscribers.map(({ name, url }) => ({ name, queue: sqsQueue(sqs, url) })),
    signal,
    log: (entry) => {
      if (entry.event !== "queue-depth") return log(entry);
      const { queue: subscriber, waiting, inFlight } = entry;
      log({ event: "outcomes-waiting", subscriber, messages: waiting + inFlight });
    },
  });
}

const retryMs = 2_000;

/** Waits for the server of the queue; returns undefined if the signal aborts first. */
async function findDeadLetters(
  sqs: SQSClient,
  queue: Queue,
  signal: AbortSignal,
  log: Log,
): Promise<Queue | undefined> {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return sqsQueue(sqs, await deadLettersUrlOf(sqs, queue.url));
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (signal.aborted) return undefined;
      const delaySeconds = retryMs / 1000;
      log({ event: "retry", key: queue.name, error: describeError(error), delaySeconds, attempt });
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

async function workUntil(
  { signal, log, readiness }: ProcessHost,
  { concurrency }: WorkOptions,
  chosen: typeof controllers,
): Promise<void> {
  const urls = queueUrls(process.env);
  const planning = planningOf(chosen, log(own));
  const sqs = sqsClient(awsConnection(process.env));
  const hub = await openHub(process.env, { log: log(own) });
  const external = { ...openExternalPorts(process.env), planning };
  const outcomes = openOutcomes(process.env, () => sqs, log(own));
  const queue = (name: string) => sqsQueue(sqs, urls.of(name));
  const queues = chosen.map((controller) => ({ controller, queue: queue(controller.queue) }));
  const working = workers({ hubOf: () => hub, sqs, external, outcomes, queue, concurrency, log });
  const functions = chosen.map(({ name }) => name);
  const rights = reviewedRights(functions, { hubOf: () => hub, signal });
  readiness(() => working.notReady(queues.length) ?? rights.notReady());
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
  // After a queue that cannot be used nothing may go on: a process that still runs is not restarted by anybody.
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  // The end waits for no response, except of batches that are handled: a server that sends none would keep the process.
  const unlessOver = <Result>(work: () => Result) => runUntil(until, work);
  try {
    await Promise.all([
      unlessOver(() => reportSubscribers(sqs, until, log(own))),
      ...queues.map(async ({ controller, queue: ofFunction }) => {
        const functionLog = log(controller.name);
        const deadLetters = await unlessOver(() => findDeadLetters(sqs, ofFunction, until, functionLog));
        if (!deadLetters || until.aborted) return;
        working.start(controller, deadLetters);
        const reported = { name: controller.queue, queue: ofFunction, deadLetters: async () => deadLetters };
        const onReport = () =>
          reportHub({ hub, loginEnd: hub.loginEnd, log: functionLog, now: () => new Date() });
        await unlessOver(() =>
          reportQueues({ queues: [reported], signal: until, log: functionLog, onReport }),
        );
      }),
    ]);
    await ended;
  } finally {
    failed.abort();
    await working.stop();
    hub.close();
    external.close();
  }
}

/** Runs `hubrelay work`: the functions of a Lambda deployment, on the messages of any SQS-compatible queues. */
export function work(options: WorkOptions): Promise<number> {
  const chosen = chosenFunctions(controllers, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => workUntil(host, options, chosen)),
  );
}
