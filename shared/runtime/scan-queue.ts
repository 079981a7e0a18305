import pMap from "p-map";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";

async function deleteOldest(queue: Queue, count: number): Promise<number> {
  let deleted = 0;
  while (deleted < count) {
    const messages = await queue.receive({ waitSeconds: 0, max: Math.min(10, count - deleted) });
    if (messages.length === 0) break;
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    deleted += messages.length;
  }
  return deleted;
}

/** Deletes the oldest messages of an in-memory queue until `max` are left. Returns the number of deleted messages. */
export async function keepNewest(queue: Queue, max: number): Promise<number> {
  const { visible } = await queue.depth();
  return visible > max ? await deleteOldest(queue, visible - max) : 0;
}

/** How long scanned messages are hidden: long enough to scan thousands before the first becomes visible again. */
const hiddenSeconds = 300;
const releaseConcurrency = 20;

/**
 * Passes at most `limit` messages of a queue to `inspect` in batches, each message once, and then makes them visible
 * again. Other receivers miss these messages during the scan, and the messages' receive counts grow.
 */
export async function scanQueue(
  queue: Queue,
  limit: number,
  inspect: (messages: readonly ReceivedMessage[]) => void,
): Promise<void> {
  const handles = new Map<string, string>();
  let shown = 0;
  try {
    while (shown < limit) {
      // SQS queries all its servers only if the request waits for at least a second.
      const batch = await queue.receive({ waitSeconds: 1, hiddenSeconds });
      const fresh = batch.filter(({ id }) => !handles.has(id)).slice(0, limit - shown);
      for (const { id, receiptHandle } of batch) handles.set(id, receiptHandle);
      if (fresh.length === 0) break;
      shown += fresh.length;
      inspect(fresh);
    }
  } finally {
    const makeVisible = (handle: string) => queue.changeVisibility(handle, 0).catch(() => undefined);
    await pMap(handles.values(), makeVisible, { concurrency: releaseConcurrency });
  }
}
