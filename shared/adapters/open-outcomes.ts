import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Log } from "../ports/log.ts";
import type { OutcomeTopic } from "../ports/outcome-topic.ts";
import { severalTopics } from "../runtime/several-topics.ts";
import { awsConnection } from "./aws/aws-connection.ts";
import type { Environment } from "./settings/environment.ts";
import { outcomeSettings } from "./settings/outcome-settings.ts";
import { sqsQueue } from "./sqs/sqs-queue.ts";
import { subscriberQueue } from "./sqs/subscriber-queue.ts";

/** Returns a topic whose client is loaded when something is published. */
function loadedWhenUsed(load: () => Promise<OutcomeTopic>): OutcomeTopic {
  let loaded: Promise<OutcomeTopic> | undefined;
  return {
    async publish(events) {
      loaded ??= load();
      await (await loaded).publish(events);
    },
  };
}

/** Opens every target of outcome events that the environment names. Throws `EnvironmentError`. */
export function openOutcomes(environment: Environment, sqs: SQSClient, log: Log): OutcomeTopic {
  const { topicArn, bus, subscribers = [] } = outcomeSettings(environment);
  const topics = subscribers.map(({ url, ...subscriber }) =>
    subscriberQueue(sqsQueue(sqs, url), subscriber, { log, now: () => new Date() }),
  );
  const connection = topicArn || bus ? awsConnection(environment) : undefined;
  if (connection && topicArn)
    topics.push(
      loadedWhenUsed(async () => {
        const { snsClient, snsOutcomeTopic } = await import("./sns/sns-outcome-topic.ts");
        return snsOutcomeTopic(snsClient(connection), topicArn);
      }),
    );
  if (connection && bus)
    topics.push(
      loadedWhenUsed(async () => {
        const { eventBridgeClient, eventBusOutcomeTopic } = await import("./eventbridge/event-bus.ts");
        return eventBusOutcomeTopic(eventBridgeClient(connection), bus);
      }),
    );
  return severalTopics(topics);
}
