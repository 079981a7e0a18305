import pMap from "p-map";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";

/** Long enough to scan thousands of messages: a scanned message must not become visible meanwhile. */
const hiddenSeconds = 300;
const releaseConcurrency = 20;

/** What happened to some messages: those removed from the queue, and whether the scan can stop. */
export type ScannedBatch = Readonly<{ gone: readonly ReceivedMessage[]; isEnough?: boolean }>;

async function makeVisible(queue: Queue, handles: readonly string[]): Promise<number> {
  let hidden = 0;
  const makeOneVisible = (handle: string) => queue.changeVisibility(handle, 0).catch(() => hidden++);
  await pMap(handles, makeOneVisible, { concurrency: releaseConcurrency });
  return hidden;
}

/**
 * Passes the messages of a queue to `inspect`, each once, a batch at a time, until there are no more or `limit` were
 * passed, and then makes the remaining ones visible again. SQS can only show a message by receiving it: it is hidden
 * from others meanwhile, and its receive count grows. Returns how many were shown, and how many could not be made
 * visible: these become visible after five minutes at most, as they do when the process is killed.
 */
export async function scanQueue(
  queue: Queue,
  limit: number,
  inspect: (messages: readonly ReceivedMessage[]) => Promise<ScannedBatch>,
): Promise<Readonly<{ shown: number; hidden: number }>> {
  const handles = new Map<string, string>();
  const gone = new Set<string>();
  let shown = 0;
  let hidden = 0;
  try {
    while (shown < limit) {
      // With a wait of at least a second SQS queries all its servers.
      const batch = await queue.receive({ waitSeconds: 1, hiddenSeconds });
      const fresh = batch.filter(({ id }) => !handles.has(id)).slice(0, limit - shown);
      for (const { id, receiptHandle } of batch) handles.set(id, receiptHandle);
      if (fresh.length === 0) break;
      shown += fresh.length;
      const result = await inspect(fresh);
      for (const { id } of result.gone) gone.add(id);
      if (result.isEnough) break;
    }
  } finally {
    const held = [...handles].filter(([id]) => !gone.has(id));
    hidden = await makeVisible(
      queue,
      held.map(([, handle]) => handle),
    );
  }
  return { shown, hidden };
}
