import type { EmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { startQueueWorker } from "#shared/adapters/queue-worker/queue-worker.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";

/** The queues of functions, and the client of their SQS server. */
export type FunctionQueues = Pick<EmbeddedMessaging, "sqs" | "queue" | "deadLetters">;

export type FunctionWorkerOptions<Needed extends keyof ExternalPorts> = Readonly<{
  portsFor: (
    controller: Controller<Needed>,
  ) => Pick<Ports<Needed>, "hub" | "external" | "outcomes" | "log"> & Partial<Pick<Ports, "now">>;
  /** Replaces the batch timeouts of all functions. */
  timeoutSeconds?: number;
  /** Called for errors of queues and unexpected errors of functions. The workers continue. */
  onError: (error: unknown) => void;
}>;

/** Starts a worker for each function. Returns a function that stops all and resolves after the batches in progress. */
export function startFunctionWorkers<Needed extends keyof ExternalPorts>(
  controllers: readonly Controller<Needed>[],
  { sqs, queue, deadLetters }: FunctionQueues,
  { portsFor, timeoutSeconds, onError }: FunctionWorkerOptions<NoInfer<Needed>>,
): () => Promise<void> {
  const workers = controllers.map((controller) =>
    startQueueWorker({
      sqs,
      queueUrl: queue(controller.queue).url,
      handler: hubEventHandler(controller, {
        now: () => new Date(),
        ...portsFor(controller),
        queue: queue(controller.queue),
        queueNamed: queue,
        deadLetters: deadLetters(controller.queue),
      }),
      batch: controller.batch,
      timeoutSeconds: timeoutSeconds ?? controller.timeoutSeconds,
      onError,
    }),
  );
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  };
}
