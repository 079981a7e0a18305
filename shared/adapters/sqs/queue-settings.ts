import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { readJson } from "../../domain/kubernetes/json/nesting.ts";
import { fieldsOf } from "../../domain/kubernetes/json/values.ts";
import { type Queue, QueueError } from "../../ports/queue.ts";
import type { ReportedQueue } from "../../runtime/reports.ts";
import { queueNameOf } from "../settings/queue-urls.ts";
import { sqsError } from "./message-batches.ts";
import { sqsQueue } from "./sqs-queue.ts";

/** Returns a queue for reports of its depth, with a function that opens its dead-letter queue. */
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

type RedrivePolicy = Readonly<{ deadLetters: string; maxReceiveCount: number }>;

/** A queue's settings on its server. */
export type QueueSettings = Readonly<{
  name: string;
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

/** Reads a queue's settings from the server. Throws `QueueError`. */
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
 * Returns the URL of the dead-letter queue that the queue's redrive policy names. The rest of the URL is the same,
 * since SQS requires one account and region for both queues. Throws a `QueueError` with code `QueueMissing` if there is
 * no policy.
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
