import type { SQSRecord } from "aws-lambda";
import { deadLetterAttributes } from "../domain/plan/dead-letter.ts";
import { type IncomingEvent, parseHubEvent } from "../domain/plan/hub-event.ts";
import { describeError } from "../ports/port-error.ts";
import type { Ports } from "../ports/ports.ts";
import { isTooLarge } from "../ports/queue.ts";

/** A message with a valid envelope. */
export type ReadMessage = Readonly<{ record: SQSRecord; event: IncomingEvent }>;

/**
 * Reads the envelopes of a batch. A message that can never be read goes to the dead-letter queue at once, with the reason
 * as an attribute; when that queue rejects it, its id is in `undelivered`.
 */
export async function readMessages(
  functionName: string,
  records: readonly SQSRecord[],
  { deadLetters, log }: Pick<Ports, "deadLetters" | "log">,
): Promise<Readonly<{ messages: readonly ReadMessage[]; undelivered: readonly string[] }>> {
  const deadLetter = async ({ messageId, body }: SQSRecord, reason: string): Promise<void> => {
    const attributes = {
      [deadLetterAttributes.reason]: reason,
      [deadLetterAttributes.function]: functionName,
      [deadLetterAttributes.messageId]: messageId,
    };
    try {
      await deadLetters.send([{ body, attributes }]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The body fits, since its queue accepted it; the attribute may not. The log has the reason.
      await deadLetters.send([{ body }]);
    }
    log({ event: "dead-lettered", messageId, reason });
  };

  const messages: ReadMessage[] = [];
  const undelivered: string[] = [];
  for (const record of records) {
    const parsed = parseHubEvent(record.body);
    if (parsed.ok) {
      messages.push({ record, event: parsed.event });
      continue;
    }
    try {
      await deadLetter(record, parsed.reason);
    } catch (error) {
      log({ event: "failed", key: record.messageId, error: describeError(error) });
      undelivered.push(record.messageId);
    }
  }
  return { messages, undelivered };
}
