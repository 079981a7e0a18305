import type { EmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { batchOptions, startQueueWorker } from "#shared/adapters/worker/queue-worker.ts";
import type { Ports } from "#shared/ports/ports.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";

/** Queues of functions on one server, and that server's client. */
export type FunctionQueues = Pick<EmbeddedMessaging, "sqs" | "queue" | "deadLetters">;

export type FunctionWorkerOptions = Readonly<{
  /** What a function touches besides queues. */
  portsFor: (controller: Controller) => Pick<Ports, "hub" | "external" | "outcomes" | "log">;
  /** For the batches of every function, instead of what each wishes. */
  timeoutSeconds?: number;
  /** Trouble with a queue, and what no handler expects; the workers go on. */
  onError: (error: unknown) => void;
}>;

/**
 * A worker for each function, with its own queue, its own dead letters and the batches that it wishes, on the real
 * clock. Answers what stops them all, and resolves when the batches that are being handled are done.
 */
export function startFunctionWorkers(
  controllers: readonly Controller[],
  { sqs, queue, deadLetters }: FunctionQueues,
  { portsFor, timeoutSeconds, onError }: FunctionWorkerOptions,
): () => Promise<void> {
  const workers = controllers.map((controller) =>
    startQueueWorker({
      sqs,
      queueUrl: queue(controller.queue).url,
      handler: hubEventHandler(controller, {
        ...portsFor(controller),
        queue: queue(controller.queue),
        queueNamed: queue,
        deadLetters: deadLetters(controller.queue),
        now: () => new Date(),
      }),
      ...batchOptions(controller),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      onError,
    }),
  );
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  };
}
