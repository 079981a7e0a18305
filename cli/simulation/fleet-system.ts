import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import { type MemoryHub, memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { forwardChanges } from "#shared/runtime/forward.ts";
import { type FunctionQueues, startFunctionWorkers } from "../program/function-workers.ts";
import { type HubRequests, requestCounter } from "./counted-hub.ts";

const served = [precachePlan, precacheCluster, precacheStatus] as const;
/** A deployment's tick comes every five minutes; a simulated run does not take much longer. */
const resyncMs = 60_000;

/** The queues that the functions of pre-caching need. */
export const fleetQueues: readonly string[] = served.map(({ queue }) => queue);

export type FleetSystem = Readonly<{
  /** What the simulation does on the hub itself is not counted. */
  hub: MemoryHub;
  /** What the functions, the forwarder and the tick have asked of the hub. */
  requests: HubRequests;
  stop(): Promise<void>;
}>;

/** The functions, workers, forwarder and tick of a deployment that pre-caches, on a hub in memory. */
export async function startFleetSystem(
  messaging: FunctionQueues,
  onTrouble: (error: unknown) => void,
): Promise<FleetSystem> {
  await using cleanup = new AsyncDisposableStack();
  const hub = memoryHub({ id: "bench", now: () => new Date() });
  const counter = requestCounter(hub);
  const log: Log = (entry) => {
    if (entry.event === "failed") onTrouble(entry.error);
  };
  const stopWorkers = startFunctionWorkers(served, messaging, {
    portsFor: ({ name }) => ({ hub: counter.as(name), outcomes: { publish: async () => undefined }, log }),
    timeoutSeconds: 60,
    onError: onTrouble,
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
  }).catch(onTrouble);
  cleanup.defer(async () => {
    stop.abort();
    await forwarding;
  });
  await synced.promise;
  const ticks = setInterval(
    () => resync(counter.as("resync"), [precacheStatus], messaging.queue).catch(onTrouble),
    resyncMs,
  );
  cleanup.defer(() => clearInterval(ticks));
  const running = cleanup.move();
  return { hub, requests: counter.requests, stop: () => running.disposeAsync() };
}
