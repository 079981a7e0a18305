import { SubscribeCommand } from "@aws-sdk/client-sns";
import type { EmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";

/** Subscribes one of the embedded queues to the embedded topic: each message is an outcome event, without an envelope. */
export async function subscribeQueue({ sns, topicArn }: EmbeddedMessaging, queue: string): Promise<void> {
  await sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: "sqs",
      Endpoint: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
      Attributes: { RawMessageDelivery: "true" },
    }),
  );
}
