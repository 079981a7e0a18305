import { PublishBatchCommand, type SNSClient } from "@aws-sdk/client-sns";
import type { OutcomeEvent } from "../../domain/events/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError } from "../../ports/outcome-topic.ts";
import { awsErrorName, awsErrorText } from "../aws/aws-error.ts";
import { confirmEntries } from "../sqs/confirm-entries.ts";
import { batchesOf, batchLimits, messageBytes, stringAttributes } from "../sqs/message-batches.ts";

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
  const name = topicArn.slice(topicArn.lastIndexOf(":") + 1);

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
      throw new OutcomeTopicError(
        awsErrorName(error).startsWith("NotFound") ? "TopicMissing" : "PublishFailed",
        `topic ${name}: PublishBatch failed: ${awsErrorText(error)}`,
        { cause: error },
      );
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
