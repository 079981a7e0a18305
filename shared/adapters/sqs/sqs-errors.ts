import { QueueError } from "../../ports/queue.ts";
import { awsErrorName, awsErrorText } from "../aws/aws-error.ts";
import { queueNameOf } from "../settings/queue-urls.ts";

const missing: ReadonlySet<string> = new Set(["QueueDoesNotExist", "NonExistentQueue"]);

/** Reports whether the server says, in any spelling, that the queue does not exist. */
export function isQueueMissing(error: unknown): boolean {
  return missing.has(awsErrorName(error));
}

/** Returns a failed request to the queue at `url` as the port's error; `code` unless the queue does not exist. */
export function sqsError(url: string, action: string, code: QueueError["code"], error: unknown): QueueError {
  return new QueueError(
    isQueueMissing(error) ? "QueueMissing" : code,
    `queue ${queueNameOf(url)}: ${action} failed: ${awsErrorText(error)}`,
    { cause: error },
  );
}
