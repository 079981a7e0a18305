import { setTimeout as sleep } from "node:timers/promises";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Log } from "#shared/ports/log.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { type FunctionQueues, startFunctionWorkers } from "../program/function-workers.ts";
import { type HubRequests, requestCounter } from "./counted-hub.ts";
import { simulatedPlanning } from "./simulated-planning.ts";

const served = [precachePlan, precacheCluster, precacheStatus] as const;
/** Interval of resync ticks. A deployment's interval of five minutes would be longer than most simulations. */
const resyncMs = 60_000;

/** The names of the pre-caching functions' queues. */
export const fleetQueues: readonly string[] = served.map(({ queue }) => queue);

export type FleetSystem = Readonly<{
  /** Requests through this hub are not counted. */
  hub: MemoryHub;
  requests: HubRequests;
  /**
   * Waits until the queues are quiet, sets the clock ahead by one interval, and runs a resync tick. Delayed messages do
   * not become due earlier.
   */
  skipToNextTick(): Promise<void>;
  stop(): Promise<void>;
}>;

/** Time for which queues must be empty to count as quiet. A write on the hub leads to a message only a moment later. */
const quietMs = 1_000;

async function untilQuiet(messaging: FunctionQueues): Promise<void> {
  for (let quietSince = performance.now(); performance.now() - quietSince < quietMs; await sleep(100)) {
    const depths = await Promise.all(fleetQueues.map((name) => messaging.queue(name).depth()));
    if (depths.some(({ visible, inFlight }) => visible + inFlight > 0)) quietSince = performance.now();
  }
}

/** Starts a hub in memory, with the functions, workers, forwarder and resync ticks of a deployment for pre-caching. */
export async function startFleetSystem(
  messaging: FunctionQueues,
  onError: (error: unknown) => void,
): Promise<FleetSystem> {
  await using cleanup = new AsyncDisposableStack();
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  const hub = memoryHub({ id: "bench", now });
  const counter = requestCounter(hub);
  const log: Log = (entry) => {
    if (entry.event === "failed") onError(entry.error);
  };
  const stopWorkers = startFunctionWorkers(served, messaging, {
    portsFor: ({ name }) => ({
      hub: counter.as(name),
      external: { ...noExternalPorts, planning: simulatedPlanning },
      outcomes: { publish: async () => undefined },
      log,
      now,
    }),
    timeoutSeconds: 60,
    onError: onError,
  });
  cleanup.defer(stopWorkers);
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  const forwarding = forwardChanges({
    hub: counter.as("forwarder"),
    allWatches: [precachePlan, precacheStatus],
    queue: messaging.queue,
    signal: stop.signal,
    log: ({ event }) => {
      if (event === "synced") synced.resolve();
    },
  }).catch(onError);
  cleanup.defer(async () => {
    stop.abort();
    await forwarding;
  });
  await synced.promise;
  const tick = () => resync(counter.as("resync"), [precacheStatus], messaging.queue).catch(onError);
  const ticks = setInterval(tick, resyncMs);
  cleanup.defer(() => clearInterval(ticks));
  const running = cleanup.move();
  return {
    hub,
    requests: counter.requests,
    async skipToNextTick() {
      await untilQuiet(messaging);
      aheadMs += resyncMs;
      await tick();
    },
    stop: () => running.disposeAsync(),
  };
}
