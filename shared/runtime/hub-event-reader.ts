import type { MiddlewareObj } from "@middy/core";
import type { Context, SQSEvent, SQSRecord } from "aws-lambda";
import { deadLetterAttributes } from "../domain/plan/dead-letter.ts";
import { type IncomingEvent, parseHubEvent } from "../domain/plan/hub-event.ts";
import { describeError } from "../ports/port-error.ts";
import type { Ports } from "../ports/ports.ts";
import { isTooLarge } from "../ports/queue.ts";

/** An SQS message with a valid body, and the event in the body. */
export type ReadMessage = Readonly<{ record: SQSRecord; event: IncomingEvent }>;

/** An SQS batch. `messages` has only the records whose body is valid. */
export type ReadBatch = SQSEvent & { messages: readonly ReadMessage[] };

/** Returns the middleware that parses records into `event.messages`. Invalid records go to the dead-letter queue. */
export function hubEventReader(
  functionName: string,
  { deadLetters, log }: Pick<Ports, "deadLetters" | "log">,
): MiddlewareObj<ReadBatch, readonly string[], Error, Context, { undelivered: readonly string[] }> {
  const deadLetter = async (record: SQSRecord, reason: string): Promise<void> => {
    const { messageId, body } = record;
    const attributes = {
      [deadLetterAttributes.reason]: reason,
      [deadLetterAttributes.function]: functionName,
      [deadLetterAttributes.messageId]: messageId,
    };
    try {
      await deadLetters.send([{ body, attributes }]);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // The dead-letter queue accepts the message only without the attributes. The log has the reason.
      await deadLetters.send([{ body }]);
    }
    log({ event: "dead-lettered", messageId, reason });
  };

  return {
    async before({ event, internal }) {
      const messages: ReadMessage[] = [];
      const undelivered: string[] = [];
      for (const record of event.Records) {
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
      event.messages = messages;
      internal.undelivered = undelivered;
    },

    after(request) {
      request.response = [...(request.response ?? []), ...request.internal.undelivered];
    },
  };
}
