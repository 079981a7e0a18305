import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { hostedClusters } from "./controller.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(hostedClusters, {
  ...(await lambdaPorts(process.env)),
  external: openExternalPorts(process.env),
});
