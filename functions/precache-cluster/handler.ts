import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { loggedStartingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precacheCluster } from "./controller.ts";

const ports = await lambdaPorts(process.env);
const planning = loggedStartingSettings(process.env, ["precache-cluster"], ports.log);
const external = { planning };

/** Lambda entry point. In: an SQS batch of messages about clusters. Out: the messages to redeliver. */
export const handler = hubEventHandler(precacheCluster, { ...ports, external });
