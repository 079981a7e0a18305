import type { Log } from "../../ports/log.ts";
import type { OutcomeTopic } from "../../ports/outcome-topic.ts";
import type { Queue } from "../../ports/queue.ts";
import { awsConnection } from "../aws/aws-connection.ts";
import { once, topicLoadedWhenUsed } from "../loaded-when-used.ts";
import type { Environment } from "../settings/environment.ts";
import { outcomeSettings } from "../settings/outcome-settings.ts";
import { queueNameOf } from "../settings/queue-urls.ts";

type LazyMessaging = Readonly<{ queue(url: string): Queue; outcomes(log: Log): OutcomeTopic }>;

/**
 * Returns queues and the outcome topic, whose AWS clients are loaded with the first message: Lambda itself receives and
 * deletes messages, and most batches find nothing to write, so most cold starts do without the clients. An invalid
 * setting throws `EnvironmentError` at once.
 */
export function lazyMessaging(environment: Environment): LazyMessaging {
  const connection = awsConnection(environment);
  const sqs = once(async () => {
    const { sqsClient, sqsQueue } = await import("../sqs/sqs-queue.ts");
    const client = sqsClient(connection);
    return { client, queue: (url: string) => sqsQueue(client, url) };
  });
  const open = async (url: string) => (await sqs()).queue(url);

  return {
    queue: (url) => ({
      name: queueNameOf(url),
      url,
      send: async (messages) => (await open(url)).send(messages),
      receive: async (options) => (await open(url)).receive(options),
      delete: async (receiptHandles) => (await open(url)).delete(receiptHandles),
      changeVisibility: async (...change) => (await open(url)).changeVisibility(...change),
      depth: async () => (await open(url)).depth(),
    }),
    outcomes(log) {
      outcomeSettings(environment);
      return topicLoadedWhenUsed(async () => {
        const { openOutcomes } = await import("../open-outcomes.ts");
        const { client } = await sqs();
        return openOutcomes(environment, () => client, log);
      });
    },
  };
}
