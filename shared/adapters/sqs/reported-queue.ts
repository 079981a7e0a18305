import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Queue } from "../../ports/queue.ts";
import type { ReportedQueue } from "../../runtime/queue-report.ts";
import { deadLettersUrlOf } from "./queue-settings.ts";
import { sqsQueue } from "./sqs-queue.ts";

/** Returns a queue and, by its redrive policy, its dead-letter queue, which is looked up once: it is asked each minute. */
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
