import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { hubEventHandler } from "#shared/runtime/hub-event-handler.ts";
import { mirrorConfig } from "./reaction.ts";

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(mirrorConfig, await lambdaPorts(process.env));
