import type { EmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { batchOptions, startQueueWorker } from "#shared/adapters/worker/queue-worker.ts";
import type { Ports } from "#shared/ports/ports.ts";
import { hubEventHandler } from "#shared/runtime/hub-event-handler.ts";
import type { Reaction } from "#shared/runtime/reaction.ts";

/** Queues of functions on one server, and that server's client. */
export type FunctionQueues = Pick<EmbeddedMessaging, "sqs" | "queue" | "deadLetters">;

export type FunctionWorkerOptions = Readonly<{
  /** What a function touches besides queues. */
  portsFor: (reaction: Reaction) => Pick<Ports, "hub" | "beyond" | "outcomes" | "log">;
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
  reactions: readonly Reaction[],
  { sqs, queue, deadLetters }: FunctionQueues,
  { portsFor, timeoutSeconds, onError }: FunctionWorkerOptions,
): () => Promise<void> {
  const workers = reactions.map((reaction) =>
    startQueueWorker({
      sqs,
      queueUrl: queue(reaction.queue).url,
      handler: hubEventHandler(reaction, {
        ...portsFor(reaction),
        queue: queue(reaction.queue),
        queueNamed: queue,
        deadLetters: deadLetters(reaction.queue),
        now: () => new Date(),
      }),
      ...batchOptions(reaction),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      onError,
    }),
  );
  return async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  };
}
