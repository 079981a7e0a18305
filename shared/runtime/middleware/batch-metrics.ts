import type { MiddlewareObj } from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { Log } from "../../ports/log.ts";

/** Returns the middleware that logs how many messages a batch had, and how many of them are redelivered. */
export function batchMetrics(log: Log): MiddlewareObj<SQSEvent, SQSBatchResponse> {
  return {
    after({ event, response }) {
      const failed = response?.batchItemFailures.length ?? 0;
      log({ event: "handled", messages: event.Records.length, failed });
    },
  };
}
