import { resync as sendReferences } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { stdoutLog } from "#shared/adapters/telemetry/json-log.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { chosenByName } from "../../program/option-values.ts";

export type ResyncOptions = Readonly<{ function?: readonly string[]; all?: true }>;

/** Runs `hubrelay resync`: queues references to the hub's objects; without `all`, not to most unchanged ones. */
export async function resync({ function: names, all }: ResyncOptions): Promise<number> {
  const chosen = chosenByName("function", allWatches, names);
  await inEnvironment(async () => {
    const log = stdoutLog(process.env, { function: "resync" });
    const urls = queueUrls(process.env);
    const sqs = sqsClient(awsConnection(process.env));
    const hub = await openHub(process.env);
    try {
      const served = chosen.filter(({ queue }) => urls.names.includes(queue));
      const now = all ? undefined : new Date();
      const resynced = await sendReferences(hub, served, (name) => sqsQueue(sqs, urls.of(name)), now);
      log({ event: "resynced", ...resynced });
      // Throws if a queue has no URL. By now, the other queues have their references.
      urls.require(chosen.map(({ queue }) => queue));
    } finally {
      hub.close();
    }
  });
  return exitCodes.fine;
}
