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
/** Shorter than the five minutes of a deployment: a simulated run takes little longer than that. */
const resyncMs = 60_000;

/** The queues of the pre-caching functions. */
export const fleetQueues: readonly string[] = served.map(({ queue }) => queue);

export type FleetSystem = Readonly<{
  /** Requests of the simulation itself are not counted. */
  hub: MemoryHub;
  /** Requests of functions, forwarder and tick. */
  requests: HubRequests;
  stop(): Promise<void>;
}>;

/** Starts functions, workers, forwarder and tick of a pre-caching deployment on a hub in memory. */
export async function startFleetSystem(
  messaging: FunctionQueues,
  onError: (error: unknown) => void,
): Promise<FleetSystem> {
  await using cleanup = new AsyncDisposableStack();
  const hub = memoryHub({ id: "bench", now: () => new Date() });
  const counter = requestCounter(hub);
  const log: Log = (entry) => {
    if (entry.event === "failed") onError(entry.error);
  };
  const stopWorkers = startFunctionWorkers(served, messaging, {
    portsFor: ({ name }) => ({ hub: counter.as(name), outcomes: { publish: async () => undefined }, log }),
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
  const ticks = setInterval(
    () => resync(counter.as("resync"), [precacheStatus], messaging.queue).catch(onError),
    resyncMs,
  );
  cleanup.defer(() => clearInterval(ticks));
  const running = cleanup.move();
  return { hub, requests: counter.requests, stop: () => running.disposeAsync() };
}
