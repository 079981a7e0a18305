import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded/embedded-messaging.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { clusterEvent, clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { forwardChanges } from "#shared/runtime/forward.ts";
import { startFunctionWorkers } from "../../../../cli/program/function-workers.ts";

const served: readonly Controller[] = [precacheCluster, precacheStatus, maintenanceWindow];
/** The ticks of a deployment, every minute and every five minutes, sped up for windows of seconds. */
const windowTickMs = 500;
const resyncMs = 15_000;

/** Functions that run until they are disposed of. */
export type RunningFunctions = AsyncDisposable &
  Readonly<{
    /** Sends planning's hint about each of these clusters. */
    plan(cgu: KubernetesObject, clusters: readonly string[]): Promise<void>;
  }>;

/**
 * Starts the functions of running upgrades on a hub, with embedded queues, the forwarder and the real clock. `fail`
 * gets unexpected errors.
 */
export async function runFunctions(hub: Hub, fail: (error: unknown) => void): Promise<RunningFunctions> {
  await using cleanup = new AsyncDisposableStack();
  const messaging = await startEmbeddedMessaging({
    queues: served.map(({ queue }) => queue),
    topic: "outcomes",
    visibilityTimeoutSeconds: 5,
  });
  cleanup.defer(() => messaging.stop());
  const log: Log = (entry) => {
    if (entry.event === "failed") fail(entry.error);
  };
  const stopWorkers = startFunctionWorkers(served, messaging, {
    portsFor: () => ({ hub, outcomes: messaging.topic, log }),
    onError: fail,
  });
  cleanup.defer(stopWorkers);
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  const forwarding = forwardChanges({
    hub,
    allWatches: served,
    queue: messaging.queue,
    signal: stop.signal,
    log: ({ event }) => {
      if (event === "synced") synced.resolve();
    },
  }).catch(fail);
  const tick = (controller: Controller) => () => resync(hub, [controller], messaging.queue).catch(fail);
  const ticks = [
    setInterval(tick(maintenanceWindow), windowTickMs),
    setInterval(tick(precacheStatus), resyncMs),
  ];
  cleanup.defer(async () => {
    for (const one of ticks) clearInterval(one);
    stop.abort();
    await forwarding;
  });
  await synced.promise;

  const running = cleanup.move();
  return {
    plan: async (cgu, clusters) => {
      const reference = referenceTo(cgu);
      const bodies = clusters.map((cluster) =>
        JSON.stringify(clusterEvent(reference, cluster, { source: hub.id })),
      );
      await messaging.queue(clusterQueue).send(bodies.map((body) => ({ body })));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
