import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Log } from "../ports/log.ts";
import type { OutcomeTopic } from "../ports/outcome-topic.ts";
import { severalTopics } from "../runtime/several-topics.ts";
import { awsConnection } from "./aws/aws-connection.ts";
import { topicLoadedWhenUsed } from "./loaded-when-used.ts";
import type { Environment } from "./settings/environment.ts";
import { outcomeSettings } from "./settings/outcome-settings.ts";
import { sqsQueue } from "./sqs/sqs-queue.ts";
import { subscriberQueue } from "./sqs/subscriber-queue.ts";

/** Opens every target of outcome events that the environment names. Throws `EnvironmentError`. */
export function openOutcomes(environment: Environment, sqs: SQSClient, log: Log): OutcomeTopic {
  const { topicArn, bus, subscribers = [] } = outcomeSettings(environment);
  const topics = subscribers.map(({ url, ...subscriber }) =>
    subscriberQueue(sqsQueue(sqs, url), subscriber, { log, now: () => new Date() }),
  );
  const connection = topicArn || bus ? awsConnection(environment) : undefined;
  if (connection && topicArn)
    topics.push(
      topicLoadedWhenUsed(async () => {
        const { snsClient, snsOutcomeTopic } = await import("./sns/sns-outcome-topic.ts");
        return snsOutcomeTopic(snsClient(connection), topicArn);
      }),
    );
  if (connection && bus)
    topics.push(
      topicLoadedWhenUsed(async () => {
        const { eventBridgeClient, eventBusOutcomeTopic } = await import("./eventbridge/event-bus.ts");
        return eventBusOutcomeTopic(eventBridgeClient(connection), bus);
      }),
    );
  return severalTopics(topics);
}
