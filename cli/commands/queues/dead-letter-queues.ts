import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { queueUrls } from "#shared/adapters/sqs/queue-urls.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-client.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { UsageError } from "../../program/usage-error.ts";

/** A queue by its name in hubrelay, with its dead-letter queue. */
export type QueuePair = Readonly<{ name: string; queue: Queue; deadLetters: Queue }>;

/** The source of messages in a shared dead-letter queue is unknown. */
function refuseShared(pairs: readonly QueuePair[]): void {
  for (const [index, { name, deadLetters }] of pairs.entries()) {
    const other = pairs.slice(0, index).find((pair) => pair.deadLetters.url === deadLetters.url);
    if (other)
      throw new UsageError(
        `The queues ${other.name} and ${name} share the dead-letter queue ${deadLetters.name}; give each its own.`,
      );
  }
}

/** Returns the queues of HUBRELAY_QUEUE_URLS, or only `named`, each with its dead-letter queue. */
export async function deadLetterQueues(named: string | undefined): Promise<readonly QueuePair[]> {
  const urls = queueUrls(process.env);
  if (named !== undefined && !urls.names.includes(named))
    throw new UsageError(`no such queue: ${named}; queues of HUBRELAY_QUEUE_URLS: ${urls.names.join(", ")}`);
  const sqs = sqsClient(awsConnection(process.env));
  const all = await Promise.all(
    urls.names.map(async (name): Promise<QueuePair> => {
      const queue = sqsQueue(sqs, urls.of(name));
      return { name, queue, deadLetters: sqsQueue(sqs, await deadLettersUrlOf(sqs, queue.url)) };
    }),
  );
  refuseShared(all);
  return all.filter(({ name }) => named === undefined || name === named);
}
