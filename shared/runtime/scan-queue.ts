import pMap from "p-map";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";

/** Long enough to scan thousands of messages: a scanned message must not become visible meanwhile. */
const hiddenSeconds = 300;
const releaseConcurrency = 20;

/**
 * Passes the messages of a queue to `inspect`, each once, a batch at a time, until there are no more, `limit` were passed
 * or it returns true, and then makes them visible again. SQS can only show a message by receiving it: it is hidden from
 * others meanwhile, and its receive count grows. One that cannot be made visible becomes so after five minutes at most, as
 * all do when the process is killed.
 */
export async function scanQueue(
  queue: Queue,
  limit: number,
  inspect: (messages: readonly ReceivedMessage[]) => boolean,
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
      if (inspect(fresh)) break;
    }
  } finally {
    const makeVisible = (handle: string) => queue.changeVisibility(handle, 0).catch(() => undefined);
    await pMap(handles.values(), makeVisible, { concurrency: releaseConcurrency });
  }
}
