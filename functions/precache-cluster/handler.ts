import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { planningSettings, requirePinnedImage } from "#shared/adapters/settings/planning-settings.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precacheCluster } from "./controller.ts";

const planning = planningSettings(process.env);
requirePinnedImage(planning);
const external = { planning };

/** Lambda entry point. In: an SQS batch of messages about clusters. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheCluster, { ...(await lambdaPorts(process.env)), external });
