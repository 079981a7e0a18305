import { setTimeout as sleep } from "node:timers/promises";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { controllers } from "#functions/controllers.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { type OpenHub, openHub } from "#shared/adapters/hub/open-hub.ts";
import { runUntil } from "#shared/adapters/network/requests.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import { maxPauseMs } from "#shared/adapters/queue-worker/poll-lane.ts";
import { type QueueWorker, startQueueWorker } from "#shared/adapters/queue-worker/queue-worker.ts";
import { loggedStartingSettings, planningSettings } from "#shared/adapters/settings/planning-settings.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import type { PlanningSettings } from "#shared/domain/precache-plan/plan-input.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError, isRetryable } from "#shared/ports/port-error.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { defaultTimeoutSeconds } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { type RefusedMessages, refusedMessages } from "#shared/runtime/refused-messages.ts";
import { reportHub, reportQueues } from "#shared/runtime/reports.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenByName } from "../../program/option-values.ts";
import { longRunning, type ProcessHost } from "./long-running.ts";
import { reviewedRights } from "./rights.ts";

type Functions = typeof controllers;

const startsJobs = ({ name }: Functions[number]) => name === "precache-plan" || name === "precache-cluster";

/** Returns the settings for pre-caching. Throws `EnvironmentError` if they are invalid. */
export function planningOf(chosen: Functions, log: Log): PlanningSettings {
  const starting = chosen.filter(startsJobs).map(({ name }) => name);
  if (starting.length === 0) return planningSettings(process.env);
  return loggedStartingSettings(process.env, starting, log);
}

/**
 * Batch timeouts are this many times those of Lambda, since a hub may take seconds for each request. From 6 times on,
 * another worker would get the message.
 */
const patience = 5;

type WorkingOptions = Readonly<{
  hubOf(name: string): OpenHub;
  sqs: SQSClient;
  external: Ports<keyof ExternalPorts>["external"];
  outcomes: Ports["outcomes"];
  queue(name: string): Queue;
  /** Number of batches of one function that are handled at the same time. */
  concurrency: number;
  log(name: string): Log;
}>;

type Working = Readonly<{
  start(controller: Functions[number], deadLetters: Queue): void;
  /** Returns the reason why fewer than `wanted` functions work; undefined if at least that many work. */
  notReady(wanted: number): string | undefined;
  stop(): Promise<void>;
}>;

/** Returns workers that handle the messages of functions' queues in this process. */
export function workers({
  hubOf,
  sqs,
  external,
  outcomes,
  queue,
  concurrency,
  log,
}: WorkingOptions): Working {
  const started: Readonly<{
    name: string;
    worker: QueueWorker;
    hub: OpenHub;
    refused: RefusedMessages;
  }>[] = [];
  return {
    start(controller, deadLetters) {
      const hub = hubOf(controller.name);
      const own = queue(controller.queue);
      const functionLog = log(controller.name);
      const refused = refusedMessages(own);
      const ports = {
        hub,
        loginEnd: hub.loginEnd,
        external,
        queue: own,
        queueNamed: queue,
        deadLetters,
        onRefused: refused.note,
        outcomes,
        log: functionLog,
        now: () => new Date(),
      };
      const worker = startQueueWorker({
        sqs,
        queueUrl: own.url,
        handler: refused.handling(hubEventHandler(controller, ports)),
        concurrency,
        batch: controller.batch,
        timeoutSeconds: patience * (controller.timeoutSeconds ?? defaultTimeoutSeconds),
        onError: (error) => {
          const about = { key: own.name, error: describeError(error) };
          functionLog(
            isRetryable(error)
              ? { event: "retry", ...about, delaySeconds: maxPauseMs / 1000, attempt: 1 }
              : { event: "failed", ...about },
          );
        },
      });
      started.push({ name: controller.name, worker, hub, refused });
    },

    notReady(wanted) {
      if (started.length < wanted) return "Not every queue was reached yet.";
      for (const { name, hub, refused } of started) {
        const reason = refused.reason();
        if (hub.problem()) return hub.problem();
        if (reason) return `The hub refuses ${name}: ${reason}`;
      }
      const failing = started.filter(({ worker }) => worker.failing()).map(({ name }) => name);
      return failing.length > 0 ? `The queues of ${failing.join(", ")} do not respond.` : undefined;
    },

    async stop() {
      await Promise.all(started.flatMap(({ worker, refused }) => [worker.stop(), refused.stop()]));
    },
  };
}

type WorkOptions = Readonly<{ function?: readonly string[]; concurrency: number; port?: number }>;

const own = "work";

const retryMs = 2_000;

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
  const outcomes = openOutcomes(process.env, log(own));
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
  // An unusable queue ends the process: nothing would restart a process that still runs.
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  // The requests of `work` fail once `until` aborts: a server that does not respond must not block the shutdown.
  const unlessOver = <Result>(work: () => Result) => runUntil(until, work);
  try {
    await Promise.all(
      queues.map(async ({ controller, queue: ofFunction }) => {
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
    );
    await ended;
  } finally {
    failed.abort();
    await working.stop();
    hub.close();
    external.close();
  }
}

/** Runs `hubrelay work`: this process runs the functions, instead of Lambda. Returns the exit code. */
export function work(options: WorkOptions): Promise<number> {
  const chosen = chosenByName("function", controllers, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => workUntil(host, options, chosen)),
  );
}
