import { GetTopicAttributesCommand, PublishBatchCommand, SNSClient } from "@aws-sdk/client-sns";
import { type OutcomeTopic, OutcomeTopicError } from "../../ports/outcome-topic.ts";
import { clientOptions } from "../aws/aws-client.ts";
import { type AwsConnection, awsErrorName, awsErrorText } from "../aws/aws-connection.ts";
import { type BatchTarget, publishInBatches } from "../publish-in-batches.ts";
import { messageBytes, messageText, stringAttributes } from "../sqs/message-batches.ts";

/** Returns a client for SNS on AWS or any server with the same protocol. */
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

type Publication = Readonly<{ body: string; attributes: Readonly<Record<string, string>> }>;

/** Returns an outcome topic on SNS or a server with the same protocol. Each message is the CloudEvent's JSON. */
export function snsOutcomeTopic(client: SNSClient, topicArn: string): OutcomeTopic {
  const target: BatchTarget<Publication> = {
    name: `topic ${topicNameOf(topicArn)}`,
    // Also as attributes, since by default a subscription's filter policy sees only attributes.
    entryOf: (event) => ({
      body: messageText(event),
      attributes: { type: event.type, source: event.source },
    }),
    bytesOf: ({ body, attributes }) => messageBytes(body, attributes),
    async request(entries) {
      const PublishBatchRequestEntries = entries.map(({ Id, entry: { body, attributes } }) => ({
        Id,
        Message: body,
        MessageAttributes: stringAttributes(attributes),
      }));
      try {
        return await client.send(new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries }));
      } catch (error) {
        throw topicError(topicArn, "PublishBatch", error);
      }
    },
  };
  return { publish: (events) => publishInBatches(target, events) };
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
