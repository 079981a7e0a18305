import { lambdaPorts } from "#shared/adapters/lambda/lambda-ports.ts";
import { planningChoices } from "#shared/adapters/settings/planning-choices.ts";
import { openUpdateGraph } from "#shared/adapters/update-graph/open-update-graph.ts";
import { nothingBeyond } from "#shared/ports/beyond.ts";
import { hubEventHandler } from "#shared/runtime/hub-event-handler.ts";
import { precachePlan } from "./reaction.ts";

const beyond = {
  ...nothingBeyond,
  planning: planningChoices(process.env),
  updateGraph: openUpdateGraph(process.env),
};

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(precachePlan, { ...(await lambdaPorts(process.env)), beyond });
