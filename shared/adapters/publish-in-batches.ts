import type { OutcomeEvent } from "../domain/events/outcome-event.ts";
import { OutcomeTopicError } from "../ports/outcome-topic.ts";
import { type BatchResult, batchesOf, batchLimits, confirmEntries } from "./sqs/message-batches.ts";

/** A server that takes events in batch requests, whose limits are those of SQS. */
export type BatchTarget<Entry> = Readonly<{
  /** For messages, such as `topic outcomes`. */
  name: string;
  entryOf(event: OutcomeEvent): Entry;
  /** The bytes of an entry that count against the limit of a request. */
  bytesOf(entry: Entry): number;
  /** Sends entries, each with the id under which the result names it. Throws `OutcomeTopicError`. */
  request(entries: readonly Readonly<{ Id: string; entry: Entry }>[]): Promise<BatchResult>;
}>;

/**
 * Publishes events in as few requests as the limits permit. An entry that the server does not confirm is sent once more,
 * without the others. Throws an `OutcomeTopicError` when an entry was not accepted then, and before the first request
 * when an event is too large.
 */
export async function publishInBatches<Entry>(
  { name, entryOf, bytesOf, request }: BatchTarget<Entry>,
  events: readonly OutcomeEvent[],
): Promise<void> {
  const entries = events.map((event) => ({ event, entry: entryOf(event) }));
  const sizeOf = ({ entry }: (typeof entries)[number]) => bytesOf(entry);
  const oversized = entries.find((one) => sizeOf(one) > batchLimits.bytes);
  if (oversized) {
    const { type, subject } = oversized.event;
    const found = `${type} about ${subject} has ${sizeOf(oversized)} bytes`;
    throw new OutcomeTopicError(
      "TooLarge",
      `${name}: ${found}, more than ${batchLimits.bytes}; nothing was published`,
    );
  }
  for (const batch of batchesOf(entries, sizeOf)) {
    const codes = await confirmEntries(
      batch.map(({ entry }, index) => ({ Id: String(index), entry })),
      request,
    );
    if (codes.length === 0) continue;
    const distinct = [...new Set(codes)].join(", ");
    throw new OutcomeTopicError(
      "PublishFailed",
      `${name}: ${codes.length} of ${batch.length} events not accepted: ${distinct}`,
    );
  }
}
