import type { SQSClient } from "@aws-sdk/client-sqs";
import type { ReportedQueue } from "../../runtime/queue-report.ts";
import { deadLettersUrlOf } from "./queue-settings.ts";
import { sqsQueue } from "./sqs-queue.ts";

/** Returns a queue and, by its redrive policy, its dead-letter queue. */
export function reportedQueue(sqs: SQSClient, name: string, url: string): ReportedQueue {
  return {
    name,
    queue: sqsQueue(sqs, url),
    deadLetters: async () => sqsQueue(sqs, await deadLettersUrlOf(sqs, url)),
  };
}
