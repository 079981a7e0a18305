import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { loggedStartingSettings } from "#shared/adapters/settings/planning-settings.ts";
import { openUpdateGraph } from "#shared/adapters/update-graph/open-update-graph.ts";
import { hubEventHandler } from "#shared/runtime/handler.ts";
import { precachePlan } from "./controller.ts";

const ports = await lambdaPorts(process.env);
const planning = loggedStartingSettings(process.env, ["precache-plan"], ports.log);
const external = {
  planning,
  updateGraph: openUpdateGraph(process.env),
};

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(precachePlan, { ...ports, external });
