import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { hubEventHandler } from "#shared/runtime/hub-event-handler.ts";
import { maintenanceWindow } from "./reaction.ts";

/** Lambda entry point. In: an SQS batch of references to windows. Out: the messages to redeliver. */
export const handler = hubEventHandler(maintenanceWindow, await lambdaPorts(process.env));
