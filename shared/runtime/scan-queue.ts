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

/** Deletes the oldest messages beyond `max`, since a queue in memory must stay bounded. Returns how many were deleted. */
export async function keepNewest(queue: Queue, max: number): Promise<number> {
  const { visible } = await queue.depth();
  return visible > max ? await deleteOldest(queue, visible - max) : 0;
}

/** Long enough to scan thousands of messages: a scanned message must not become visible meanwhile. */
const hiddenSeconds = 300;
const releaseConcurrency = 20;

/**
 * Passes the messages of a queue to `inspect`, each once, a batch at a time, until there are no more or `limit` were
 * passed, and then makes them visible again. SQS can only show a message by receiving it: others do not see it meanwhile,
 * and its receive count grows. A message whose release fails becomes visible after at most five minutes, as do all when
 * the process is killed.
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
      // With a wait of at least a second SQS queries all its servers.
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
