import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { readJson } from "../../domain/kubernetes/json/nesting.ts";
import { fieldsOf } from "../../domain/kubernetes/json/values.ts";
import { type Queue, QueueError } from "../../ports/queue.ts";
import type { ReportedQueue } from "../../runtime/reports.ts";
import { queueNameOf } from "../settings/queue-urls.ts";
import { sqsError } from "./message-batches.ts";
import { sqsQueue } from "./sqs-queue.ts";

/** Returns a queue whose depth is reported, with its dead-letter queue, which is looked up only once. */
export function reportedQueue(sqs: SQSClient, name: string, url: string): Required<ReportedQueue> {
  let found: Queue | undefined;
  return {
    name,
    queue: sqsQueue(sqs, url),
    async deadLetters() {
      found ??= sqsQueue(sqs, await deadLettersUrlOf(sqs, url));
      return found;
    },
  };
}

/** The dead-letter queue's name, and the number of receives after which a message goes there. */
type RedrivePolicy = Readonly<{ deadLetters: string; maxReceiveCount: number }>;

/** A queue's settings on its server. */
export type QueueSettings = Readonly<{
  name: string;
  /** How long a received message is hidden from other receivers. */
  visibilityTimeoutSeconds: number;
  redrive: RedrivePolicy | undefined;
}>;

function parseRedrivePolicy(text: string | undefined): RedrivePolicy | undefined {
  if (!text) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = fieldsOf(readJson(text));
  if (typeof deadLetterTargetArn !== "string") return undefined;
  const deadLetters = deadLetterTargetArn.slice(deadLetterTargetArn.lastIndexOf(":") + 1);
  return deadLetters ? { deadLetters, maxReceiveCount: Number(maxReceiveCount) } : undefined;
}

/** Reads a queue's settings from the server; throws `QueueError`. */
export async function queueSettings(client: SQSClient, url: string): Promise<QueueSettings> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: url,
    AttributeNames: ["VisibilityTimeout", "RedrivePolicy"],
  });
  try {
    const { Attributes = {} } = await client.send(command);
    return {
      name: queueNameOf(url),
      visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout ?? 0),
      redrive: parseRedrivePolicy(Attributes.RedrivePolicy),
    };
  } catch (error) {
    throw sqsError(url, "GetQueueAttributes", "QueueUnavailable", error);
  }
}

/**
 * Returns the URL of a queue's dead-letter queue. Its name is in the queue's redrive policy, which the server itself
 * uses; the rest of the URL is the same, since SQS requires one account and region for the two queues. Throws a
 * `QueueError` with code `QueueMissing` when the queue has no redrive policy.
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
