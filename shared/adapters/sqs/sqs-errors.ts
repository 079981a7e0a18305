import { QueueError } from "../../ports/queue.ts";
import { awsErrorName, awsErrorText } from "../aws/aws-error.ts";
import { queueNameOf } from "../settings/queue-urls.ts";
import { errorCode, messageTooLong } from "./message-batches.ts";

const missing: ReadonlySet<string> = new Set(["QueueDoesNotExist", "NonExistentQueue"]);

/** Reports whether the server says, in any spelling, that the queue does not exist. */
export function isQueueMissing(error: unknown): boolean {
  return missing.has(awsErrorName(error));
}

/** Returns a failed request to the queue at `url` as the port's error; `code` unless the queue does not exist. */
export function sqsError(url: string, action: string, code: QueueError["code"], error: unknown): QueueError {
  const text = awsErrorText(error);
  const isTooLong = errorCode(awsErrorName(error), text) === messageTooLong;
  return new QueueError(
    isQueueMissing(error) ? "QueueMissing" : isTooLong ? "TooLarge" : code,
    `queue ${queueNameOf(url)}: ${action} failed: ${text}`,
    { cause: error },
  );
}
