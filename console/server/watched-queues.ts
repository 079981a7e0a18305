import { setTimeout as sleep } from "node:timers/promises";
import { type Queue, QueueError } from "#shared/ports/queue.ts";
import type { QueueFacts, Queues } from "../model/snapshot.ts";

/** Queues need no watch in seconds, and each query is a request. */
const intervalMs = 30_000;

type Depth = Pick<Queue, "depth">;

/** A queue with hubrelay's name for it, and its dead-letter queue. */
export type AskedQueue = Readonly<{ name: string; queue: Depth; deadLetters(): Promise<Depth> }>;

/** The state of the queues, queried once for all viewers. */
export type WatchedQueues = Readonly<{
  facts(): Queues;
  /** Queries every queue now; this also happens regularly. */
  ask(): Promise<void>;
}>;

/** Returns queues whose state is unknown, with the reason. */
export function unknownQueues(why: string): WatchedQueues {
  return { facts: () => ({ unknown: why }), ask: async () => undefined };
}

const problemOf = (error: unknown): string => {
  if (error instanceof QueueError) return error.message;
  throw error;
};

/** Dead letters are undefined without permission to count them. */
async function ask({ name, queue, deadLetters }: AskedQueue, before: QueueFacts | undefined, now: Date) {
  const { visible } = await queue.depth();
  const dead = await deadLetters()
    .then((letters) => letters.depth())
    .then(({ visible: count }) => ({ deadLetters: count }))
    .catch((error: unknown) => ({ deadLettersUnknown: problemOf(error) }));
  const busySince = visible > 0 ? (before?.busySince ?? now) : undefined;
  return { name, waiting: visible, ...(busySince ? { busySince } : {}), ...dead };
}

/** Queries the depth of queues until the signal aborts. */
export function watchQueues(
  queues: readonly AskedQueue[],
  signal: AbortSignal,
  now: () => Date = () => new Date(),
): WatchedQueues {
  let all: readonly QueueFacts[] | undefined;

  async function askAll(): Promise<void> {
    const known = new Map(all?.map((one) => [one.name, one]));
    all = await Promise.all(
      queues.map((queue) =>
        ask(queue, known.get(queue.name), now()).catch((error: unknown) => ({
          name: queue.name,
          unknown: problemOf(error),
        })),
      ),
    );
  }

  async function keepAsking(): Promise<void> {
    while (!signal.aborted) {
      // Not an error of a queue, so no page can show it; the next query may succeed.
      await askAll().catch(() => undefined);
      await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
  void keepAsking();
  return { facts: () => (all ? { all } : { unknown: "they have not responded yet" }), ask: askAll };
}
