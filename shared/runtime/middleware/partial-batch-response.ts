import type { MiddlewareObj } from "@middy/core";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";

/**
 * Returns the middleware that turns the ids of the messages to redeliver, which the handler returns, into the response
 * by which Lambda leaves those messages, and only those, in the queue.
 */
export function partialBatchResponse(): MiddlewareObj<SQSEvent, readonly string[] | SQSBatchResponse> {
  return {
    after(request) {
      const ids = Array.isArray(request.response) ? request.response : [];
      request.response = { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
    },
  };
}
