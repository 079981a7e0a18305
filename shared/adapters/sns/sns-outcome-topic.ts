import { GetTopicAttributesCommand, PublishBatchCommand, SNSClient } from "@aws-sdk/client-sns";
import type { OutcomeEvent } from "../../domain/events/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError } from "../../ports/outcome-topic.ts";
import { type AwsConnection, clientOptions } from "../aws/aws-connection.ts";
import { awsErrorName, awsErrorText } from "../aws/aws-error.ts";
import {
  batchesOf,
  batchLimits,
  confirmEntries,
  messageBytes,
  stringAttributes,
} from "../sqs/message-batches.ts";

/** Returns a client for SNS on AWS or any server with the same protocol. */
export function snsClient(connection: AwsConnection): SNSClient {
  return new SNSClient(clientOptions(connection));
}

const topicNameOf = (topicArn: string) => topicArn.slice(topicArn.lastIndexOf(":") + 1);

/** Returns a failed request to a topic as the port's error. */
function topicError(topicArn: string, action: string, error: unknown): OutcomeTopicError {
  return new OutcomeTopicError(
    awsErrorName(error).startsWith("NotFound") ? "TopicMissing" : "PublishFailed",
    `topic ${topicNameOf(topicArn)}: ${action} failed: ${awsErrorText(error)}`,
    { cause: error },
  );
}

type Publication = Readonly<{
  body: string;
  attributes: Readonly<Record<string, string>>;
  event: OutcomeEvent;
}>;

/** `type` and `source` are also attributes, since a subscription's filter policy sees those by default. */
function publicationOf(event: OutcomeEvent): Publication {
  return { body: JSON.stringify(event), attributes: { type: event.type, source: event.source }, event };
}

const bytesOf = ({ body, attributes }: Publication) => messageBytes(body, attributes);

/** Returns an outcome topic on SNS or a server with the same protocol. Each message is the CloudEvent's JSON. */
export function snsOutcomeTopic(client: SNSClient, topicArn: string): OutcomeTopic {
  const name = topicNameOf(topicArn);

  const publishBatch = async (batch: readonly Publication[]): Promise<readonly string[]> => {
    const entries = batch.map(({ body, attributes }, index) => ({
      Id: String(index),
      Message: body,
      MessageAttributes: stringAttributes(attributes),
    }));
    try {
      return await confirmEntries(entries, (PublishBatchRequestEntries) =>
        client.send(new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries })),
      );
    } catch (error) {
      throw topicError(topicArn, "PublishBatch", error);
    }
  };

  return {
    async publish(events) {
      const publications = events.map(publicationOf);
      const oversized = publications.find((publication) => bytesOf(publication) > batchLimits.bytes);
      if (oversized) {
        const { type, subject } = oversized.event;
        const found = `${type} about ${subject} has ${bytesOf(oversized)} bytes`;
        throw new OutcomeTopicError(
          "TooLarge",
          `topic ${name}: ${found}, more than ${batchLimits.bytes}; nothing was published`,
        );
      }
      for (const batch of batchesOf(publications, bytesOf)) {
        const codes = await publishBatch(batch);
        if (codes.length === 0) continue;
        const distinct = [...new Set(codes)].join(", ");
        throw new OutcomeTopicError(
          "PublishFailed",
          `topic ${name}: ${codes.length} of ${batch.length} events not accepted: ${distinct}`,
        );
      }
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
