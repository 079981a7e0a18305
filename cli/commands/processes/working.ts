import type { SQSClient } from "@aws-sdk/client-sqs";
import type { controllers } from "#functions/controllers.ts";
import { maxPauseMs } from "#shared/adapters/queue-worker/poll-lane.ts";
import { type QueueWorker, startQueueWorker } from "#shared/adapters/queue-worker/queue-worker.ts";
import { planningSettings, startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { noWorkloadImage } from "#shared/domain/precache-model/workload-image.ts";
import type { PlanningSettings } from "#shared/domain/precache-plan/plan-input.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError, isRetryable } from "#shared/ports/port-error.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { defaultTimeoutSeconds } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { type RefusedMessages, refusedMessages } from "#shared/runtime/refused-messages.ts";
import type { OpenedHub } from "./forwarding.ts";

type Functions = typeof controllers;

const startsJobs = ({ name }: Functions[number]) => name === "precache-plan" || name === "precache-cluster";

/** Returns the settings for pre-caching, and logs when its functions are off. Throws `EnvironmentError`. */
export function planningOf(chosen: Functions, log: Log): PlanningSettings {
  const starting = chosen.filter(startsJobs).map(({ name }) => name);
  if (starting.length === 0) return planningSettings(process.env);
  const planning = startingSettings(process.env);
  if (planning.isOff) log({ event: "functions-off", functions: starting, reason: noWorkloadImage });
  return planning;
}

/**
 * How many times longer than on Lambda a batch may take here: an API server that takes seconds for each request must not end
 * every attempt. Less than the six of the visibility timeouts.
 */
const patience = 5;

export type WorkingOptions = Readonly<{
  /** Returns the hub as a function opens it. */
  hubOf(name: string): OpenedHub;
  sqs: SQSClient;
  external: Ports<keyof ExternalPorts>["external"];
  outcomes: Ports["outcomes"];
  /** Returns a queue by hubrelay's name. */
  queue(name: string): Queue;
  /** Returns the handler of what a queue has, by hubrelay's name; by default it gets each message as it is. */
  handling?(queue: string, handle: ReturnType<typeof hubEventHandler>): ReturnType<typeof hubEventHandler>;
  /** Batches of a function that are handled at the same time. */
  concurrency: number;
  log(name: string): Log;
}>;

export type Working = Readonly<{
  /** Starts the worker of a function, whose dead letters go to this queue. */
  start(controller: Functions[number], deadLetters: Queue): void;
  /** Returns why the functions that should run do not all work; undefined when they do. */
  notReady(wanted: number): string | undefined;
  /** Stops all workers, and resolves when their batches are done. */
  stop(): Promise<void>;
}>;

/** Returns the workers of functions on their queues, with the handlers and batches of a deployment on Lambda. */
export function workers({
  hubOf,
  sqs,
  external,
  outcomes,
  queue,
  handling = (_queue, handle) => handle,
  concurrency,
  log,
}: WorkingOptions): Working {
  const started: Readonly<{
    name: string;
    worker: QueueWorker;
    hub: OpenedHub;
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
        handler: refused.handling(handling(controller.queue, hubEventHandler(controller, ports))),
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
