import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { ExternalPorts } from "../ports/external-ports.ts";
import type { Ports } from "../ports/ports.ts";
import type { Controller } from "./controller.ts";
import { readMessages } from "./read-messages.ts";
import { batchReconciler } from "./reconcile-batch.ts";
import { reportHub } from "./reports.ts";

/**
 * The Lambda handler of a function. In: an SQS batch of hub events. Out: the messages to redeliver; only those stay in the
 * queue.
 */
export function hubEventHandler<Needed extends keyof ExternalPorts>(
  controller: Controller<Needed>,
  ports: Ports<NoInfer<Needed>>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const reconcileBatch = batchReconciler(controller, ports);
  return async ({ Records }) => {
    const { messages, undelivered } = await readMessages(controller.name, Records, ports);
    const failed = [...(await reconcileBatch(messages)), ...undelivered];
    await reportHub(ports);
    ports.log({ event: "handled", messages: Records.length, failed: failed.length });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}
