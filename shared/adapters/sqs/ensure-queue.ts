import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { QueueError } from "../../ports/queue.ts";
import { isQueueMissing } from "./message-batches.ts";

export type RedriveOptions = Readonly<{
  /** A message that was received this many times goes to the dead-letter queue. */
  maxReceiveCount: number;
  visibilityTimeoutSeconds: number;
}>;

/** The maximum of SQS. */
const retentionSeconds = 14 * 24 * 60 * 60;

/** Returns the name of a queue's dead-letter queue. */
export function deadLettersOf(name: string): string {
  return `${name}-dead-letters`;
}

function present(value: string | undefined, what: string): string {
  if (value) return value;
  throw new QueueError("QueueUnavailable", `the queue server did not return ${what}`);
}

async function ensure(
  client: SQSClient,
  QueueName: string,
  Attributes: Record<string, string>,
): Promise<string> {
  let url: string | undefined;
  try {
    ({ QueueUrl: url } = await client.send(new GetQueueUrlCommand({ QueueName })));
  } catch (error) {
    if (!isQueueMissing(error)) throw error;
    // Attributes are set below. With them, this request would fail if another process has just created the queue.
    ({ QueueUrl: url } = await client.send(new CreateQueueCommand({ QueueName })));
  }
  const QueueUrl = present(url, `the URL of queue ${QueueName}`);
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  return QueueUrl;
}

async function arnOf(client: SQSClient, QueueUrl: string): Promise<string> {
  const result = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
  return present(result.Attributes?.QueueArn, `the ARN of ${QueueUrl}`);
}

/** Creates a queue and its dead-letter queue, or changes the settings of existing ones. Returns their URLs. */
export async function ensureQueue(
  client: SQSClient,
  name: string,
  { maxReceiveCount, visibilityTimeoutSeconds }: RedriveOptions,
): Promise<Readonly<{ url: string; deadLettersUrl: string }>> {
  const deadLettersUrl = await ensure(client, deadLettersOf(name), {
    MessageRetentionPeriod: String(retentionSeconds),
  });
  const deadLetterTargetArn = await arnOf(client, deadLettersUrl);
  const url = await ensure(client, name, {
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
  });
  return { url, deadLettersUrl };
}
