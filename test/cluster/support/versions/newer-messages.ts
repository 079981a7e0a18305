import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { Queue, ReceivedMessage } from "#shared/ports/queue.ts";

/** What a later version may add to anything: a field that this version does not know. */
const addition = { addedByALaterVersion: { since: "99.0.0", values: [1, { deep: true }] } };

/** Returns a JSON value with the addition in each of its objects. */
function withAdditions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAdditions);
  if (!isRecord(value)) return value;
  const known = Object.entries(value).map(([key, content]) => [key, withAdditions(content)]);
  return { ...Object.fromEntries(known), ...addition };
}

/**
 * Replaces what waits in a queue by the same messages as a later version may send them: with fields that are unknown, at
 * every level. Nothing else may receive from the queue meanwhile. Returns how many there were.
 */
export async function sendAsLaterVersion(queue: Queue): Promise<number> {
  const waiting: ReceivedMessage[] = [];
  for (;;) {
    const received = await queue.receive({ waitSeconds: 0, hiddenSeconds: 600 });
    if (received.length === 0) break;
    waiting.push(...received);
  }
  await queue.send(
    waiting.map(({ body, attributes }) => ({
      body: JSON.stringify(withAdditions(JSON.parse(body))),
      attributes,
    })),
  );
  if (waiting.length > 0) await queue.delete(waiting.map(({ receiptHandle }) => receiptHandle));
  return waiting.length;
}
