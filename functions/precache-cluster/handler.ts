import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { hubEventHandler } from "#shared/runtime/hub-event-handler.ts";
import { precacheCluster } from "./reaction.ts";

/** Lambda entry point. In: an SQS batch of hints about clusters. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheCluster, await lambdaPorts(process.env));
