import type { MiddlewareObj } from "@middy/core";
import middy from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { ExternalPorts } from "../ports/external-ports.ts";
import type { Log } from "../ports/log.ts";
import type { Ports } from "../ports/ports.ts";
import type { Controller } from "./controller.ts";
import { hubEventReader } from "./hub-event-reader.ts";
import { batchReconciler } from "./reconcile-batch.ts";
import { reportHub } from "./reports.ts";

/** Returns the middleware that converts the handler's result, the ids of messages to redeliver, for Lambda. */
export function partialBatchResponse(): MiddlewareObj<SQSEvent, readonly string[] | SQSBatchResponse> {
  return {
    after(request) {
      const ids = Array.isArray(request.response) ? request.response : [];
      request.response = { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
    },
  };
}

/** Returns the middleware that logs the number of messages in a batch, and the number of messages to redeliver. */
export function batchMetrics(log: Log): MiddlewareObj<SQSEvent, SQSBatchResponse> {
  return {
    after({ event, response }) {
      const failed = response?.batchItemFailures.length ?? 0;
      log({ event: "handled", messages: event.Records.length, failed });
    },
  };
}

/** Returns the Lambda handler of a function. Input: an SQS batch of hub events. Output: the messages to redeliver. */
export function hubEventHandler<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  ports: Ports<NoInfer<Needed>>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return middy<SQSEvent>()
    .use(batchMetrics(ports.log))
    .use({ after: () => reportHub(ports) })
    .use(partialBatchResponse())
    .use(hubEventReader(controller.name, ports))
    .handler(batchReconciler(controller, ports));
}
