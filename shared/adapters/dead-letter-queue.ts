import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { QueueError } from "../ports/queue.ts";
import { queueNameOf, sqsTrouble } from "./sqs-trouble.ts";

function targetName(redrivePolicy: string): string | undefined {
  const { deadLetterTargetArn } = Object(JSON.parse(redrivePolicy));
  return typeof deadLetterTargetArn === "string" ? deadLetterTargetArn.split(":").at(-1) : undefined;
}

/**
 * The URL of the queue that takes this one's dead letters, as its redrive policy says: where the server itself
 * puts them, so no setting can disagree. SQS keeps both in one account and region, so only the name differs.
 * Throws a `QueueError` with code `QueueMissing` when the queue has no redrive policy.
 */
export async function deadLettersUrlOf(client: SQSClient, url: string): Promise<string> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["RedrivePolicy"] });
  let policy: string | undefined;
  try {
    policy = (await client.send(command)).Attributes?.RedrivePolicy;
  } catch (error) {
    throw sqsTrouble(url, "GetQueueAttributes", "QueueUnavailable", error);
  }
  const name = policy && targetName(policy);
  if (!name)
    throw new QueueError(
      "QueueMissing",
      `queue ${queueNameOf(url)} has no dead-letter queue; give it a redrive policy that names one`,
    );
  return new URL(name, url).href;
}
