import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { openBeyond } from "#shared/adapters/open-beyond.ts";
import { hubEventHandler } from "#shared/runtime/hub-event-handler.ts";
import { hostedClusters } from "./reaction.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(hostedClusters, {
  ...(await lambdaPorts(process.env)),
  beyond: openBeyond(process.env),
});
