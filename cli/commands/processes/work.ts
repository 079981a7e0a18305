import { setTimeout as sleep } from "node:timers/promises";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { controllers } from "#functions/controllers.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import { outcomeSettings } from "#shared/adapters/settings/outcome-settings.ts";
import { startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { maxPauseMs } from "#shared/adapters/worker/poll-lane.ts";
import { type QueueWorker, startQueueWorker } from "#shared/adapters/worker/queue-worker.ts";
import type { Log } from "#shared/ports/log.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { describeError, isRetryable } from "#shared/runtime/errors.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { reportLogin } from "#shared/runtime/login-report.ts";
import { reportQueues } from "#shared/runtime/queue-report.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { longRunning, type ProcessHost } from "./long-running.ts";

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
  if (chosen.some(({ name }) => name === "precache-plan" || name === "precache-cluster"))
    startingSettings(process.env);
  const sqs = sqsClient(awsConnection(process.env));
  const hub = await openHub(process.env);
  const external = openExternalPorts(process.env);
  const outcomes = openOutcomes(process.env, sqs, log(own));
  const queues = chosen.map((controller) => ({
    controller,
    queue: sqsQueue(sqs, urls.of(controller.queue)),
    log: log(controller.name),
  }));

  const started: Readonly<{ name: string; worker: QueueWorker }>[] = [];
  readiness(() => {
    if (started.length < queues.length) return "Not every queue was reached yet.";
    if (hub.isLoginRejected()) return "The hub rejects the login.";
    const failing = started.filter(({ worker }) => worker.failing()).map(({ name }) => name);
    return failing.length > 0 ? `The queues of ${failing.join(", ")} do not respond.` : undefined;
  });
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
  // After a queue that cannot be used nothing may go on: a process that still runs is not restarted by anybody.
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  try {
    await Promise.all([
      reportSubscribers(sqs, until, log(own)),
      ...queues.map(async ({ controller, queue, log: functionLog }) => {
        const deadLetters = await findDeadLetters(sqs, queue, until, functionLog);
        if (!deadLetters || until.aborted) return;
        const ports = {
          hub,
          loginEnd: hub.loginEnd,
          external,
          queue,
          queueNamed: (name: string) => sqsQueue(sqs, urls.of(name)),
          deadLetters,
          outcomes,
          log: functionLog,
          now: () => new Date(),
        };
        const worker = startQueueWorker({
          sqs,
          queueUrl: queue.url,
          handler: hubEventHandler(controller, ports),
          concurrency,
          batch: controller.batch,
          timeoutSeconds: controller.timeoutSeconds,
          onError: (error) => {
            const about = { key: queue.name, error: describeError(error) };
            functionLog(
              isRetryable(error)
                ? { event: "retry", ...about, delaySeconds: maxPauseMs / 1000, attempt: 1 }
                : { event: "failed", ...about },
            );
          },
        });
        started.push({ name: controller.name, worker });
        const reported = { name: controller.queue, queue, deadLetters: async () => deadLetters };
        const onReport = () => reportLogin(ports);
        await reportQueues({ queues: [reported], signal: until, log: functionLog, onReport });
      }),
    ]);
    await ended;
  } finally {
    failed.abort();
    await Promise.all(started.map(({ worker }) => worker.stop()));
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
