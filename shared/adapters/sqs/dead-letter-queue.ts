import type { SQSClient } from "@aws-sdk/client-sqs";
import { QueueError } from "../../ports/queue.ts";
import { queueSettings } from "./queue-settings.ts";

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
