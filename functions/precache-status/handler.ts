import { lambdaPorts } from "#shared/adapters/lambda-ports.ts";
import { hubEventHandler } from "#shared/shell/hub-event-handler.ts";
import { precacheStatus } from "./reaction.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheStatus, await lambdaPorts(process.env));
