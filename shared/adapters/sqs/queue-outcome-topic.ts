import type { OutcomeEvent } from "../../domain/events/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError, withAccepted } from "../../ports/outcome-topic.ts";
import { type Queue, QueueError } from "../../ports/queue.ts";

const codes: Partial<Record<QueueError["code"], OutcomeTopicError["code"]>> = {
  QueueMissing: "TopicMissing",
  TooLarge: "TooLarge",
};

/**
 * SQS refuses a message with U+FFFE or U+FFFF, which a text in an event may have, and some servers everything beyond
 * U+FFFF: JSON can name those characters instead.
 */
function messageBody(event: OutcomeEvent): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(event).replace(/[\ufffe\uffff\ud800-\udfff]/g, escaped);
}

/** Publishes events one by one; throws the first error. */
async function publishEach(topic: OutcomeTopic, events: readonly OutcomeEvent[]): Promise<void> {
  const accepted: string[] = [];
  let failure: unknown;
  for (const event of events)
    try {
      await topic.publish([event]);
      accepted.push(event.id);
    } catch (error) {
      failure ??= error;
    }
  if (failure) throw withAccepted(failure, accepted);
}

/** Returns an outcome topic that is a queue, for installations without SNS: each message is the CloudEvent's JSON. */
export function queueOutcomeTopic(queue: Queue): OutcomeTopic {
  return {
    async publish(events) {
      const messages = events.map((event) => ({
        body: messageBody(event),
        attributes: { type: event.type, source: event.source },
      }));
      try {
        await queue.send(messages);
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        // The queue has taken none of them: those that fit are sent without the one that does not.
        if (error.code === "TooLarge" && events.length > 1)
          return publishEach(queueOutcomeTopic(queue), events);
        const code = codes[error.code] ?? "PublishFailed";
        throw new OutcomeTopicError(code, error.message, { cause: error });
      }
    },
  };
}
