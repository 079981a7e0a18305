import { lambdaPorts } from "#shared/adapters/lambda-ports.ts";
import { openUpdateGraph } from "#shared/adapters/open-update-graph.ts";
import { planningChoices } from "#shared/adapters/planning-choices.ts";
import { nothingBeyond } from "#shared/ports/beyond.ts";
import { hubEventHandler } from "#shared/shell/hub-event-handler.ts";
import { precachePlan } from "./reaction.ts";

const beyond = {
  ...nothingBeyond,
  planning: planningChoices(process.env),
  updateGraph: openUpdateGraph(process.env),
};

/** Lambda entry point. In: an SQS batch of hub events. Out: the messages to redeliver. */
export const handler = hubEventHandler(precachePlan, { ...(await lambdaPorts(process.env)), beyond });
