import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precacheStatus } from "./controller.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheStatus, await lambdaPorts(process.env));
