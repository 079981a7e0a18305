import type { Queue } from "../ports/queue.ts";

/** Receives messages, the oldest first, and deletes them. Returns how many. */
export async function deleteOldest(queue: Queue, count: number): Promise<number> {
  let deleted = 0;
  while (deleted < count) {
    const messages = await queue.receive({ waitSeconds: 0, max: Math.min(10, count - deleted) });
    if (messages.length === 0) break;
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    deleted += messages.length;
  }
  return deleted;
}

/** Deletes the oldest messages that wait beyond this number: a queue in memory must not grow. Returns how many. */
export async function keepNewest(queue: Queue, max: number): Promise<number> {
  const { visible } = await queue.depth();
  return visible > max ? await deleteOldest(queue, visible - max) : 0;
}
