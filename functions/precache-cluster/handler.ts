import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { startingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precacheCluster } from "./controller.ts";

const planning = startingSettings(process.env);
const external = { planning };

/** Lambda entry point. In: an SQS batch of messages about clusters. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheCluster, { ...(await lambdaPorts(process.env)), external });
