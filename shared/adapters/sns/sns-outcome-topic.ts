import { GetTopicAttributesCommand, PublishBatchCommand, SNSClient } from "@aws-sdk/client-sns";
import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError, withAccepted } from "../../ports/outcome-topic.ts";
import { clientOptions } from "../aws/aws-client.ts";
import { type AwsConnection, awsErrorName, awsErrorText } from "../aws/aws-connection.ts";
import {
  batchesOf,
  batchLimits,
  confirmEntries,
  messageBytes,
  messageText,
  stringAttributes,
} from "../sqs/message-batches.ts";

/** Returns a client for SNS on AWS, or for another server with the same protocol. */
export function snsClient(connection: AwsConnection): SNSClient {
  return new SNSClient(clientOptions(connection));
}

const topicNameOf = (topicArn: string) => topicArn.slice(topicArn.lastIndexOf(":") + 1);

function topicError(topicArn: string, action: string, error: unknown): OutcomeTopicError {
  return new OutcomeTopicError(
    awsErrorName(error).startsWith("NotFound") ? "TopicMissing" : "PublishFailed",
    `topic ${topicNameOf(topicArn)}: ${action} failed: ${awsErrorText(error)}`,
    { cause: error },
  );
}

/** After this many requests in which every event was rejected, publishing ends: the cause is then the topic. */
const maxRefusedBatches = 3;

/** Two fields are also attributes, since by default a subscription's filter policy sees only attributes. */
function entryOf(event: OutcomeEvent) {
  const Message = messageText(event);
  const attributes = { type: event.type, source: event.source };
  return {
    event,
    bytes: messageBytes(Message, attributes),
    entry: { Message, MessageAttributes: stringAttributes(attributes) },
  };
}

/**
 * Returns an outcome topic on SNS, or on another server with the same protocol. If a single event is rejected, the
 * error is thrown after the other events were published; if a whole request fails, at once.
 */
export function snsOutcomeTopic(client: SNSClient, topicArn: string): OutcomeTopic {
  const name = `topic ${topicNameOf(topicArn)}`;
  return {
    async publish(events) {
      const entries = events.map(entryOf);
      const accepted: string[] = [];
      const refused = new Set<string>();
      let refusedBatches = 0;
      const fitting = entries.filter(({ bytes }) => bytes <= batchLimits.bytes);
      for (const batch of batchesOf(fitting, ({ bytes }) => bytes)) {
        const numbered = batch.map(({ entry }, index) => ({ Id: String(index), ...entry }));
        const codes = await confirmEntries(numbered, (PublishBatchRequestEntries) =>
          client.send(new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries })),
        ).catch((error) => {
          throw withAccepted(topicError(topicArn, "PublishBatch", error), accepted);
        });
        accepted.push(...batch.flatMap(({ event }, index) => (codes.has(String(index)) ? [] : event.id)));
        for (const code of codes.values()) refused.add(code);
        if (codes.size === batch.length && ++refusedBatches === maxRefusedBatches) break;
      }
      if (refused.size > 0) {
        const found = `${events.length - accepted.length} of ${events.length} events not accepted`;
        const text = `${name}: ${found}: ${[...refused].join(", ")}`;
        throw new OutcomeTopicError("PublishFailed", text, { accepted });
      }
      const oversized = entries.find(({ bytes }) => bytes > batchLimits.bytes);
      if (!oversized) return;
      const { event, bytes } = oversized;
      const found = `${event.type} about ${event.subject} has ${bytes} bytes`;
      const text = `${name}: ${found}, more than ${batchLimits.bytes}`;
      throw new OutcomeTopicError("TooLarge", text, { accepted });
    },
  };
}

/** Returns the number of a topic's confirmed subscribers. Throws `OutcomeTopicError`. */
export async function topicSubscribers(client: SNSClient, topicArn: string): Promise<number> {
  try {
    const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
    return Number(Attributes.SubscriptionsConfirmed ?? 0);
  } catch (error) {
    throw topicError(topicArn, "GetTopicAttributes", error);
  }
}
