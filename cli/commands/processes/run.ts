import { setTimeout as sleep } from "node:timers/promises";
import { controllers } from "#functions/controllers.ts";
import { type Resynced, resync } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { openHub } from "#shared/adapters/hub/open-hub.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Log } from "#shared/ports/log.ts";
import { owedSinceAttributes } from "#shared/runtime/deliveries.ts";
import { describeError } from "#shared/runtime/errors.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { owedSince, owedSinceAnnotation } from "#shared/runtime/forwarder/lease.ts";
import { owedPeriod } from "#shared/runtime/topics/owed-period.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import { forwardUntil, heartbeatsOf, type OpenedHub, watchErrorsTo } from "./forwarding.ts";
import { leaseName, longRunning, ownIdentity, type ProcessHost } from "./long-running.ts";
import { requireSettings, workers } from "./working.ts";

export type RunOptions = Readonly<{
  function?: readonly string[];
  concurrency: number;
  lease?: string;
  port?: number;
  queuePort: number;
  /** The namespace of the accounts as which the parts act; by default all use the login of the process. */
  accounts?: string;
}>;

const own = "run";
const tickMs = 5 * 60_000;

/** As the event source mappings of Lambda: six times the longest time that a batch may take. */
const visibilityFor = (chosen: typeof controllers): number =>
  6 * Math.max(...chosen.map(({ timeoutSeconds = 30 }) => timeoutSeconds));

/** Sends a reference to every object each five minutes, to make up for lost events. */
async function tickUntil(signal: AbortSignal, tick: () => Promise<Resynced>, log: Log): Promise<void> {
  for (;;) {
    await sleep(tickMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      log({ event: "resynced", ...(await tick()) });
    } catch (error) {
      log({ event: "failed", key: own, error: describeError(error) });
    }
  }
}

async function runUntil(
  { signal, log, readiness }: ProcessHost,
  { concurrency, lease, queuePort, accounts }: RunOptions,
  chosen: typeof controllers,
): Promise<void> {
  requireSettings(chosen);
  const queues = chosen.map(({ queue }) => queue);
  const served = allWatches.filter(({ queue }) => queues.includes(queue));
  const now = () => new Date();
  const heartbeat = heartbeatsOf(served, log(own));
  readiness(heartbeat.notReady);
  const outcomes = owedPeriod(
    openOutcomes(process.env, () => sqsClient(awsConnection(process.env)), log(own)),
    now,
  );
  const external = openExternalPorts(process.env);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => external.close());
  const openAs = async (name: string): Promise<OpenedHub> => {
    const actAs = accounts && `system:serviceaccount:${accounts}:hubrelay-${name}`;
    const one = await openHub(process.env, { onWatchError: watchErrorsTo(heartbeat), actAs });
    opened.defer(() => one.close());
    return one;
  };
  const hub = await openAs("forwarder");
  // Each part has its own connections: a login's rejection is about one account.
  const ticking = accounts ? await openAs("resync") : hub;
  const hubs = new Map<string, OpenedHub>();
  for (const { name } of chosen) hubs.set(name, accounts ? await openAs(name) : hub);

  const lead = async (until: AbortSignal, found?: KubernetesObject): Promise<void> => {
    const messaging = await startEmbeddedMessaging({
      queues,
      topic: own,
      port: queuePort,
      visibilityTimeoutSeconds: visibilityFor(chosen),
    });
    const { sqs, queue, deadLetters } = messaging;
    log(own)({ event: "queues-opened", address: messaging.endpoint });
    const working = workers({
      hubOf: (name) => hubs.get(name) ?? hub,
      sqs,
      external,
      outcomes: outcomes.topic,
      queue,
      concurrency,
      log,
    });
    const since = owedSince(found);
    const ended = new AbortController();
    const within = AbortSignal.any([until, ended.signal]);
    try {
      for (const controller of chosen) working.start(controller, deadLetters(controller.queue));
      readiness(() => heartbeat.notReady() ?? working.notReady(chosen.length));
      await Promise.all([
        tickUntil(within, () => resync(ticking, served, queue), log(own)),
        forwardUntil({
          name: own,
          hub,
          served,
          queue: (name) => ({ name, queue: queue(name), deadLetters: async () => deadLetters(name) }),
          others: queues.filter((name) => !served.some((watches) => watches.queue === name)),
          heartbeat,
          ...(since ? { initialAttributes: owedSinceAttributes(since) } : {}),
          signal: until,
        }),
      ]);
    } finally {
      ended.abort();
      readiness(heartbeat.notReady);
      await working.stop();
      await messaging.stop();
    }
  };
  const annotations = () => ({
    ...heartbeat.annotations(),
    [owedSinceAnnotation]: outcomes.owedSince()?.toISOString() ?? "",
  });
  if (!lease) return await lead(signal);
  const election = { hub, lease: leaseName(lease), identity: ownIdentity(), signal, now };
  await whileLeading({ ...election, log: heartbeat.log, annotations }, lead);
}

/**
 * Runs `hubrelay run`: forwarder, functions, ticks and queues in one process. Messages are hints, and state is on the
 * hub: the queues are in memory, and who takes the Lease over finds everything in its first lists.
 */
export function run(options: RunOptions): Promise<number> {
  const chosen = chosenFunctions(controllers, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => runUntil(host, options, chosen)),
  );
}
