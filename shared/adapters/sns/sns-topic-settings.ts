import { GetTopicAttributesCommand, type SNSClient } from "@aws-sdk/client-sns";
import { OutcomeTopicError } from "../../ports/outcome-topic.ts";
import { awsErrorName, awsErrorText } from "../aws/aws-error.ts";

/** Returns the number of a topic's confirmed subscribers. Throws `OutcomeTopicError`. */
export async function topicSubscribers(client: SNSClient, topicArn: string): Promise<number> {
  try {
    const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn: topicArn }));
    return Number(Attributes.SubscriptionsConfirmed ?? 0);
  } catch (error) {
    const name = topicArn.slice(topicArn.lastIndexOf(":") + 1);
    throw new OutcomeTopicError(
      awsErrorName(error).startsWith("NotFound") ? "TopicMissing" : "PublishFailed",
      `topic ${name}: GetTopicAttributes failed: ${awsErrorText(error)}`,
      { cause: error },
    );
  }
}
