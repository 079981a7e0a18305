import middy from "@middy/core";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { ExternalPorts } from "../ports/external-ports.ts";
import type { Ports } from "../ports/ports.ts";
import type { Controller } from "./controller.ts";
import { reportLogin } from "./login-report.ts";
import { batchMetrics } from "./middleware/batch-metrics.ts";
import { hubEventReader } from "./middleware/hub-event-reader.ts";
import { partialBatchResponse } from "./middleware/partial-batch-response.ts";
import { batchReconciler } from "./reconcile-batch.ts";

/** The Lambda handler of a function. In: an SQS batch of hub events. Out: the messages to redeliver. */
export function hubEventHandler<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  ports: Ports<NoInfer<Needed>>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  return middy<SQSEvent>()
    .use(batchMetrics(ports.log))
    .use({ before: () => reportLogin(ports) })
    .use(partialBatchResponse())
    .use(hubEventReader(controller.name, ports))
    .handler(batchReconciler(controller, ports));
}
