import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { maintenanceWindow } from "./controller.ts";

/** Lambda entry point. In: an SQS batch of hub events about windows. Out: the messages to redeliver. */
export const handler = hubEventHandler(maintenanceWindow, await lambdaPorts(process.env));
