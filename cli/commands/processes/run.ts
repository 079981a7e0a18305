import { setTimeout as sleep } from "node:timers/promises";
import { controllers } from "#functions/controllers.ts";
import { type Resynced, resync } from "#functions/resync/resync.ts";
import { allWatches } from "#functions/watches.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { type OpenHub, openHub } from "#shared/adapters/hub/open-hub.ts";
import { openExternalPorts } from "#shared/adapters/open-external-ports.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Log } from "#shared/ports/log.ts";
import type { OutcomeTopic } from "#shared/ports/outcome-topic.ts";
import { describeError } from "#shared/ports/port-error.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { defaultTimeoutSeconds } from "#shared/runtime/controller.ts";
import { type Forwarder, forwarder } from "#shared/runtime/forwarder/forward.ts";
import { whileLeading } from "#shared/runtime/forwarder/leader-election.ts";
import { owedSince, owedSinceAnnotation } from "#shared/runtime/forwarder/lease-candidate.ts";
import { keepNewest } from "#shared/runtime/scan-queue.ts";
import { owedPeriod } from "#shared/runtime/topics/owed-outcomes.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { chosenByName } from "../../program/option-values.ts";
import { forwardUntil, heartbeatsOf, watchErrorsTo } from "./forward.ts";
import { leaseName, longRunning, ownIdentity, type ProcessHost } from "./long-running.ts";
import { forwarderAccount, reviewedRights } from "./rights.ts";
import { planningOf, workers } from "./work.ts";

export type RunOptions = Readonly<{
  function?: readonly string[];
  concurrency: number;
  lease?: string;
  port?: number;
  queuePort: number;
  /** The namespace of the accounts that the parts of the process impersonate; absent if they impersonate none. */
  accounts?: string;
}>;

const own = "run";
const tickMs = 5 * 60_000;
/** Maximum number of dead letters that a tick keeps for a queue. Ticks queue the objects of deleted ones again. */
const maxDeadLetters = 1_000;

/** In seconds. AWS recommends six times the timeout of the function. */
const visibilityOf = (queue: string): number =>
  6 * (controllers.find((one) => one.queue === queue)?.timeoutSeconds ?? defaultTimeoutSeconds);

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

async function boundDeadLetters(name: string, deadLetters: Queue, log: Log): Promise<void> {
  const deleted = await keepNewest(deadLetters, maxDeadLetters);
  if (deleted === 0) return;
  const error = `The oldest ${deleted} of more than ${maxDeadLetters} dead letters were deleted. Fix: find their reason with "hubrelay dlq list", then replay or delete them.`;
  log({ event: "failed", key: name, error });
}

type Ready = (working?: () => string | undefined) => void;

type Hubs = Readonly<{ forwarder: OpenHub; resync: OpenHub; of(name: string): OpenHub }>;

async function openHubs(
  functions: readonly string[],
  { accounts }: Pick<RunOptions, "accounts">,
  onWatchError: ReturnType<typeof watchErrorsTo>,
  cleanup: AsyncDisposableStack,
  log: ProcessHost["log"],
): Promise<Hubs> {
  const openAs = async (name: string): Promise<OpenHub> => {
    const actAs = accounts && `system:serviceaccount:${accounts}:hubrelay-${name}`;
    const opened = await openHub(process.env, { onWatchError, log: log(accounts ? name : own), actAs });
    return cleanup.adopt(opened, (one) => one.close());
  };
  const forwarder = await openAs("forwarder");
  if (!accounts) return { forwarder, resync: forwarder, of: () => forwarder };
  const resyncing = await openAs("resync");
  const opened = new Map<string, OpenHub>();
  for (const name of functions) opened.set(name, await openAs(name));
  return { forwarder, resync: resyncing, of: (name) => opened.get(name) ?? forwarder };
}

type Parts = Pick<RunOptions, "concurrency" | "queuePort"> &
  Readonly<{
    chosen: typeof controllers;
    served: typeof allWatches;
    hubs: Hubs;
    external: Parameters<typeof workers>[0]["external"];
    outcomes: OutcomeTopic;
    heartbeat: ReturnType<typeof heartbeatsOf>;
    /** The forwarder, whose watches stay open while another process has the Lease. */
    watching: Forwarder;
  }>;

/** `found` is the Lease under the previous leader, if there was one. */
async function leadUntil(
  signal: AbortSignal,
  { chosen, served, hubs, external, outcomes, heartbeat, watching, concurrency, queuePort }: Parts,
  { log, ready }: Pick<ProcessHost, "log"> & Readonly<{ ready: Ready }>,
  found?: KubernetesObject,
): Promise<void> {
  const queues = chosen.map(({ queue }) => queue);
  const messaging = await startEmbeddedMessaging({
    queues,
    topic: own,
    port: queuePort,
    visibilityOf,
  });
  const { sqs, queue, deadLetters } = messaging;
  log(own)({ event: "queues-opened", address: messaging.endpoint });
  const working = workers({ hubOf: hubs.of, sqs, external, outcomes, queue, concurrency, log });
  const ended = new AbortController();
  const within = AbortSignal.any([signal, ended.signal]);
  const tick = async (): Promise<Resynced> => {
    for (const name of queues) await boundDeadLetters(name, deadLetters(name), log(own));
    return await resync(hubs.resync, served, queue, new Date());
  };
  try {
    for (const controller of chosen) working.start(controller, deadLetters(controller.queue));
    ready(() => working.notReady(chosen.length));
    await Promise.all([
      tickUntil(within, tick, log(own)),
      forwardUntil({
        name: own,
        hub: hubs.forwarder,
        served,
        queue: (name) => ({ name, queue: queue(name), deadLetters: async () => deadLetters(name) }),
        others: queues.filter((name) => !served.some((watches) => watches.queue === name)),
        heartbeat,
        forwarder: watching,
        owedSince: owedSince(found),
        signal,
      }),
    ]);
  } finally {
    ended.abort();
    ready();
    await working.stop();
    await messaging.stop();
  }
}

async function runUntil(
  { signal, log, readiness }: ProcessHost,
  { lease, ...options }: RunOptions,
  chosen: typeof controllers,
): Promise<void> {
  const planning = planningOf(chosen, log(own));
  const served = allWatches.filter((watches) => chosen.some(({ queue }) => queue === watches.queue));
  const now = () => new Date();
  const heartbeat = heartbeatsOf(served, log(own));
  const outcomes = owedPeriod(openOutcomes(process.env, log(own)), now);
  await using cleanup = new AsyncDisposableStack();
  const ports = cleanup.adopt(openExternalPorts(process.env), (one) => one.close());
  const external = { ...ports, planning };
  const functions = chosen.map(({ name }) => name);
  const hubs = await openHubs(functions, options, watchErrorsTo(heartbeat), cleanup, log);
  const name = lease ? leaseName(lease) : undefined;
  const hubOf = (part: string) => (part === forwarderAccount ? hubs.forwarder : hubs.of(part));
  const rights = reviewedRights([forwarderAccount, ...functions], { hubOf, lease: name, signal });
  let nobodyLeads: string | undefined;
  const ready: Ready = (working = () => undefined) =>
    readiness(
      () => hubs.forwarder.problem() ?? nobodyLeads ?? rights.notReady() ?? heartbeat.notReady() ?? working(),
      heartbeat.standby,
    );
  ready();
  const watching = cleanup.use(
    forwarder({ hub: hubs.forwarder, allWatches: served, signal, log: heartbeat.log, now }),
  );
  const parts = { ...options, chosen, served, hubs, external, outcomes: outcomes.topic, heartbeat, watching };
  const lead = (until: AbortSignal, found?: KubernetesObject) =>
    leadUntil(until, parts, { log, ready }, found);
  if (!name) return await lead(signal);
  const annotations = () => ({
    ...heartbeat.annotations(),
    [owedSinceAnnotation]: outcomes.owedSince()?.toISOString() ?? "",
  });
  const onAttempt = (problem: string | undefined) => {
    nobodyLeads = problem;
  };
  const election = {
    hub: hubs.forwarder,
    lease: name,
    process: own,
    identity: ownIdentity(name),
    signal,
    now,
  };
  await whileLeading({ ...election, log: heartbeat.log, annotations, onAttempt }, lead);
}

/**
 * Runs `hubrelay run`: forwarder, functions, ticks and queues in one process. Returns the exit code. The queues are in
 * memory, since messages only say that state has changed: the next leader begins with all objects on the hub.
 */
export function run(options: RunOptions): Promise<number> {
  const chosen = chosenByName("function", controllers, options.function);
  const functions = chosen.map(({ name }) => name);
  return inEnvironment(() =>
    longRunning(own, { functions, port: options.port }, (host) => runUntil(host, options, chosen)),
  );
}
