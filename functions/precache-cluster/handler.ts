import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precacheCluster } from "./controller.ts";

/** Lambda entry point. In: an SQS batch of hints about clusters. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheCluster, await lambdaPorts(process.env));
