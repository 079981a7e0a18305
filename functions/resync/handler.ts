import middy from "@middy/core";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { lambdaLog, lambdaQueues } from "#shared/adapters/lambda/lambda-ports.ts";
import { leaseSetting } from "#shared/adapters/settings/hub-location.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { reportHub } from "#shared/runtime/reports.ts";
import { allWatches } from "../watches.ts";
import { reportFleet } from "./fleet-report.ts";
import { resync } from "./resync.ts";
import { reportHeartbeat } from "./ticks.ts";

const log = lambdaLog(process.env);
const hub = await openHub(process.env, { log });
const queue = lambdaQueues(process.env);
const lease = leaseSetting(process.env);
const now = () => new Date();

function chosenBy(tick: unknown): typeof allWatches {
  const named = allWatches.filter(({ name }) => name === fieldsOf(tick).tick);
  return named.length > 0 ? named : allWatches;
}

/**
 * Lambda entry point. In: the tick of one function, `{tick: FUNCTION}`; any other value means all functions. Out: the
 * result of the tick.
 */
export const handler = middy().handler(async (tick: unknown) => {
  if (lease) await reportHeartbeat({ hub, lease, log, now });
  try {
    const resynced = await resync(hub, chosenBy(tick), queue, now());
    log({ event: "resynced", ...resynced });
    return resynced;
  } finally {
    await reportHub({ hub, loginEnd: hub.loginEnd, log, now });
    await reportFleet({ hub, log, now });
  }
});
