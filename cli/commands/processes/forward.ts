import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { reportedQueue } from "#shared/adapters/sqs/reported-queue.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { forwarder } from "#shared/runtime/forwarder/forward.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { forwardUntil, heartbeatsOf, watchErrorsTo } from "./forwarding.ts";
import { leaseName, longRunning, ownIdentity, type ProcessHost } from "./long-running.ts";
import { forwarderAccount, reviewedRights } from "./rights.ts";

export type ForwardOptions = Readonly<{ function?: readonly string[]; lease?: string; port?: number }>;

const own = "forward";

async function forwardWhileLeading(
  { signal, log, readiness }: ProcessHost,
  options: ForwardOptions,
  served: typeof allWatches,
): Promise<void> {
  const lease = options.lease ? leaseName(options.lease) : undefined;
  const urls = queueUrls(process.env);
  const sentTo = served.map(({ queue }) => queue);
  urls.require([...sentTo, ...urls.names]);
  const sqs = sqsClient(awsConnection(process.env));
  const heartbeat = heartbeatsOf(served, log(own));
  const hub = await openHub(process.env, { onWatchError: watchErrorsTo(heartbeat), log: log(own) });
  const rights = reviewedRights([forwarderAccount], { hubOf: () => hub, lease, signal });
  let nobodyLeads: string | undefined;
  readiness(
    () => hub.problem() ?? nobodyLeads ?? rights.notReady() ?? heartbeat.notReady(),
    heartbeat.standby,
  );
  const now = () => new Date();
  await using watching = forwarder({ hub, allWatches: served, signal, log: heartbeat.log, now });
  const forward = (until: AbortSignal) =>
    forwardUntil({
      name: own,
      hub,
      served,
      queue: (name) => reportedQueue(sqs, name, urls.of(name)),
      // Other functions send to these. Nobody else reports them while their workers have no pods; they are no part of
      // the heartbeat, since changes on the hub do not wait for them.
      others: urls.names.filter((name) => !sentTo.includes(name)),
      heartbeat,
      forwarder: watching,
      signal: until,
    });
  try {
    if (!lease) return await forward(signal);
    const { annotations } = heartbeat;
    await whileLeading(
      {
        hub,
        lease,
        process: own,
        identity: ownIdentity(lease),
        signal,
        now: () => new Date(),
        log: heartbeat.log,
        annotations,
        onAttempt: (problem) => {
          nobodyLeads = problem;
        },
      },
      forward,
    );
  } finally {
    hub.close();
  }
}

/**
 * Runs `hubrelay forward`: sends each change on the hub that affects these functions to their queues as an event, and
 * those of maintenance windows every minute.
 */
export function forward(options: ForwardOptions): Promise<number> {
  const chosen = chosenFunctions(allWatches, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => forwardWhileLeading(host, options, chosen)),
  );
}
