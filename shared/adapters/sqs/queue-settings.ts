import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { QueueError } from "../../ports/queue.ts";
import { queueNameOf, sqsTrouble } from "./sqs-trouble.ts";

/** How often a message may be received in vain, and the name of the queue that it then goes to. */
export type RedrivePolicy = Readonly<{ deadLetters: string; maxReceiveCount: number }>;

/** How a queue is set up on its server. */
export type QueueSettings = Readonly<{
  name: string;
  /** How long a message that was received is hidden from others. */
  visibilityTimeoutSeconds: number;
  /** How long a message is kept. */
  retentionSeconds: number;
  redrive: RedrivePolicy | undefined;
  /** Messages that could be received now, about. */
  visible: number;
}>;

/** Undefined where the text is no policy that names a queue. */
function parseRedrivePolicy(text: string | undefined): RedrivePolicy | undefined {
  if (!text) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = Object(JSON.parse(text));
  if (typeof deadLetterTargetArn !== "string") return undefined;
  const deadLetters = deadLetterTargetArn.slice(deadLetterTargetArn.lastIndexOf(":") + 1);
  return deadLetters ? { deadLetters, maxReceiveCount: Number(maxReceiveCount) } : undefined;
}

/** Asks the server how a queue is set up; throws `QueueError`. */
export async function queueSettings(client: SQSClient, url: string): Promise<QueueSettings> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: [
      "VisibilityTimeout",
      "MessageRetentionPeriod",
      "RedrivePolicy",
      "ApproximateNumberOfMessages",
    ],
  });
  try {
    const { Attributes = {} } = await client.send(command);
    return {
      name: queueNameOf(url),
      visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout ?? 0),
      retentionSeconds: Number(Attributes.MessageRetentionPeriod ?? 0),
      redrive: parseRedrivePolicy(Attributes.RedrivePolicy),
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    };
  } catch (error) {
    throw sqsTrouble(url, "GetQueueAttributes", "QueueUnavailable", error);
  }
}

/**
 * The URL of the queue that takes this one's dead letters, as its redrive policy says: where the server itself
 * puts them, so no setting can disagree. SQS keeps both in one account and region, so only the name differs.
 * Throws a `QueueError` with code `QueueMissing` when the queue has no redrive policy.
 */
export async function deadLettersUrlOf(client: SQSClient, url: string): Promise<string> {
  const { name, redrive } = await queueSettings(client, url);
  if (!redrive)
    throw new QueueError(
      "QueueMissing",
      `queue ${name} has no dead-letter queue; give it a redrive policy that names one`,
    );
  return new URL(redrive.deadLetters, url).href;
}
