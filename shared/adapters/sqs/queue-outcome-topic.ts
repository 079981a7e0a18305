import { type OutcomeTopic, OutcomeTopicError } from "../../ports/outcome-topic.ts";
import { type Queue, QueueError } from "../../ports/queue.ts";

const codes: Partial<Record<QueueError["code"], OutcomeTopicError["code"]>> = {
  QueueMissing: "TopicMissing",
  TooLarge: "TooLarge",
};

/** Returns an outcome topic that is a queue, for installations without SNS: each message is the CloudEvent's JSON. */
export function queueOutcomeTopic(queue: Queue): OutcomeTopic {
  return {
    async publish(events) {
      const messages = events.map((event) => ({
        body: JSON.stringify(event),
        attributes: { type: event.type, source: event.source },
      }));
      try {
        await queue.send(messages);
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        const code = codes[error.code] ?? "PublishFailed";
        throw new OutcomeTopicError(code, error.message, { cause: error });
      }
    },
  };
}
