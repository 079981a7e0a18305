import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { type Redrive, startRedrive } from "#shared/adapters/sqs/redrive.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { deadLetterReason } from "#shared/domain/plan/dead-letter.ts";
import { parseHubEvent } from "#shared/domain/plan/hub-event.ts";
import type { Queue, ReceivedMessage } from "#shared/ports/queue.ts";
import { UsageError } from "../../program/exit-codes.ts";

/** A queue by its name in hubrelay, with its dead-letter queue. */
export type QueuePair = Readonly<{
  name: string;
  deadLetters: Queue;
  /** Starts to move all dead letters back; returns what reads the state of the move. */
  startRedrive(): Promise<() => Promise<Redrive>>;
}>;

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
      const url = urls.of(name);
      const deadLetters = sqsQueue(sqs, await deadLettersUrlOf(sqs, url));
      return { name, deadLetters, startRedrive: () => startRedrive(sqs, deadLetters.url, url) };
    }),
  );
  refuseShared(all);
  return all.filter(({ name }) => named === undefined || name === named);
}

/** What is shown of a dead letter: no part of its body but the object's name. */
export type DeadLetter = Readonly<{
  id: string;
  reason: string;
  /** The subject of its event; undefined when it cannot be read. */
  subject: string | undefined;
  /** When it was first sent. */
  sentAt: string;
}>;

/** Reads a message of a dead-letter queue. Never throws: a message that is not an event has no subject. */
export function deadLetterOf({ id, body, attributes, sentAt }: ReceivedMessage): DeadLetter {
  const parsed = parseHubEvent(body);
  return {
    id,
    reason: deadLetterReason(attributes),
    subject: parsed.ok ? parsed.event.subject : undefined,
    sentAt: sentAt.toISOString(),
  };
}
