import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import { OutcomeTopicError, withAccepted } from "../ports/outcome-topic.ts";
import { type BatchResult, batchesOf, batchLimits, confirmEntries } from "./sqs/message-batches.ts";

/** A server that accepts events in batch requests with SQS's limits. */
export type BatchTarget<Entry> = Readonly<{
  /** Used in messages, such as `topic outcomes`. */
  name: string;
  entryOf(event: OutcomeEvent): Entry;
  bytesOf(entry: Entry): number;
  /** Sends entries; the result names each by its `Id`. Throws `OutcomeTopicError`. */
  request(entries: readonly Readonly<{ Id: string; entry: Entry }>[]): Promise<BatchResult>;
}>;

/** After this many wholly rejected requests the rest is not sent: the cause is not the events, and thousands may wait. */
const maxRefusedBatches = 3;

/**
 * Publishes events in as few requests as the limits permit. An entry that the server does not confirm is sent once more,
 * without the others. Throws an `OutcomeTopicError` when an event is too large or was rejected twice; the others were
 * published, unless a request failed as a whole or several requests had no accepted event.
 */
export async function publishInBatches<Entry>(
  { name, entryOf, bytesOf, request }: BatchTarget<Entry>,
  events: readonly OutcomeEvent[],
): Promise<void> {
  const entries = events.map((event) => {
    const entry = entryOf(event);
    return { event, entry, bytes: bytesOf(entry) };
  });
  const oversized = entries.find(({ bytes }) => bytes > batchLimits.bytes);
  const accepted: string[] = [];
  const refused = new Set<string>();
  let refusedBatches = 0;
  const fitting = entries.filter(({ bytes }) => bytes <= batchLimits.bytes);
  for (const batch of batchesOf(fitting, ({ bytes }) => bytes)) {
    const numbered = batch.map(({ entry }, index) => ({ Id: String(index), entry }));
    const codes = await confirmEntries(numbered, request).catch((error) => {
      throw withAccepted(error, accepted);
    });
    accepted.push(...batch.flatMap(({ event }, index) => (codes.has(String(index)) ? [] : event.id)));
    for (const code of codes.values()) refused.add(code);
    if (codes.size === batch.length && ++refusedBatches === maxRefusedBatches) break;
  }
  if (refused.size > 0) {
    const found = `${events.length - accepted.length} of ${events.length} events not accepted`;
    throw new OutcomeTopicError("PublishFailed", `${name}: ${found}: ${[...refused].join(", ")}`, {
      accepted,
    });
  }
  if (oversized) {
    const { event, bytes } = oversized;
    const found = `${event.type} about ${event.subject} has ${bytes} bytes`;
    throw new OutcomeTopicError("TooLarge", `${name}: ${found}, more than ${batchLimits.bytes}`, {
      accepted,
    });
  }
}
