import { QueueError } from "../../ports/queue.ts";
import { awsErrorName, awsErrorText } from "../aws/aws-error.ts";

const missing: ReadonlySet<string> = new Set(["QueueDoesNotExist", "NonExistentQueue"]);

/** True when the server says that the queue does not exist, in whatever spelling. */
export function isQueueMissing(error: unknown): boolean {
  return missing.has(awsErrorName(error));
}

/** A queue's name: the last part of its URL. */
export function queueNameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

/** A failed request to the queue behind `url` as the port's error; `code` unless the queue does not exist. */
export function sqsTrouble(
  url: string,
  action: string,
  code: QueueError["code"],
  error: unknown,
): QueueError {
  return new QueueError(
    isQueueMissing(error) ? "QueueMissing" : code,
    `queue ${queueNameOf(url)}: ${action} failed: ${awsErrorText(error)}`,
    { cause: error },
  );
}
