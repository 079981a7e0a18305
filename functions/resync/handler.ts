import middy from "@middy/core";
import { lambdaLog } from "#shared/adapters/lambda-log.ts";
import { lambdaQueues } from "#shared/adapters/lambda-ports.ts";
import { openHub } from "#shared/adapters/open-hub.ts";

import { interests } from "../interests.ts";
import { resync } from "./resync.ts";

const hub = await openHub(process.env);
const queue = lambdaQueues(process.env);
const log = lambdaLog(process.env);

/** Lambda entry point. In: a schedule's tick, whose content does not matter. Out: how many references were sent. */
export const handler = middy().handler(async () => {
  const messages = await resync(hub, interests, queue);
  log({ event: "resynced", messages });
  return { messages };
});
