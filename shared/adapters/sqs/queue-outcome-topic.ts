import type { OutcomeEvent } from "../../domain/events/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError, withAccepted } from "../../ports/outcome-topic.ts";
import { type Queue, QueueError } from "../../ports/queue.ts";
import { messageText } from "./message-batches.ts";

const codes: Partial<Record<QueueError["code"], OutcomeTopicError["code"]>> = {
  QueueMissing: "TopicMissing",
  TooLarge: "TooLarge",
};

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
        body: messageText(event),
        attributes: { type: event.type, source: event.source },
      }));
      try {
        await queue.send(messages);
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        // Those that fit are sent without the one that does not; some perhaps again, under the same id.
        if (error.code === "TooLarge" && events.length > 1)
          return publishEach(queueOutcomeTopic(queue), events);
        const code = codes[error.code] ?? "PublishFailed";
        throw new OutcomeTopicError(code, error.message, { cause: error });
      }
    },
  };
}
