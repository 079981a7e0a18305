import type { Queue, ReceivedMessage } from "../ports/queue.ts";

/** Long enough to look through some thousand messages: what was looked at must not come again meanwhile. */
const hiddenSeconds = 300;
const releaseAtOnce = 20;

/** What became of some messages: those that are gone from the queue, and whether there is more to look for. */
export type ScannedBatch = Readonly<{ gone: readonly ReceivedMessage[]; isEnough?: boolean }>;

async function giveBack(queue: Queue, handles: readonly string[]): Promise<number> {
  let hidden = 0;
  for (let start = 0; start < handles.length; start += releaseAtOnce) {
    const some = handles.slice(start, start + releaseAtOnce);
    const results = await Promise.allSettled(some.map((handle) => queue.changeVisibility(handle, 0)));
    hidden += results.filter(({ status }) => status === "rejected").length;
  }
  return hidden;
}

/**
 * Shows the messages of a queue, each once, a batch at a time, until there are no more or `most` were shown, and
 * then gives back all that are not gone. SQS has no other way to look at a message than to receive it: it is
 * hidden from others meanwhile, and counts as received once more. Answers how many were shown, and how many
 * could not be given back and so come again by themselves, after five minutes at most; that is also what happens
 * when the process is killed.
 */
export async function scanQueue(
  queue: Queue,
  most: number,
  look: (messages: readonly ReceivedMessage[]) => Promise<ScannedBatch>,
): Promise<Readonly<{ shown: number; hidden: number }>> {
  const handles = new Map<string, string>();
  const gone = new Set<string>();
  let shown = 0;
  let hidden = 0;
  try {
    while (shown < most) {
      // Waits a second: only then SQS asks all its servers.
      const batch = await queue.receive({ waitSeconds: 1, hiddenSeconds });
      const fresh = batch.filter(({ id }) => !handles.has(id)).slice(0, most - shown);
      for (const { id, receiptHandle } of batch) handles.set(id, receiptHandle);
      if (fresh.length === 0) break;
      shown += fresh.length;
      const result = await look(fresh);
      for (const { id } of result.gone) gone.add(id);
      if (result.isEnough) break;
    }
  } finally {
    const held = [...handles].filter(([id]) => !gone.has(id));
    hidden = await giveBack(
      queue,
      held.map(([, handle]) => handle),
    );
  }
  return { shown, hidden };
}
