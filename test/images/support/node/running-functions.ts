import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { resync } from "#functions/resync/resync.ts";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { startFunctionWorkers } from "../../../../cli/program/function-workers.ts";

const served = [precacheCluster, precacheStatus, maintenanceWindow];
/** The ticks of a deployment, every minute and every five minutes, sped up for windows of seconds. */
const windowTickMs = 500;
const resyncMs = 15_000;

/**
 * Starts the functions of running upgrades on a hub, with embedded queues, the forwarder and the real clock. `fail`
 * gets unexpected errors.
 */
export async function runFunctions(hub: Hub, fail: (error: unknown) => void): Promise<AsyncDisposable> {
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
    portsFor: () => ({ hub, external: noExternalPorts, outcomes: messaging.topic, log }),
    onError: fail,
  });
  cleanup.defer(stopWorkers);
  const stop = new AbortController();
  const synced = Promise.withResolvers<void>();
  const forwarding = forwardChanges({
    hub,
    allWatches: [precacheStatus, maintenanceWindow],
    queue: messaging.queue,
    signal: stop.signal,
    log: ({ event }) => {
      if (event === "synced") synced.resolve();
    },
  }).catch(fail);
  const tick = (controller: Watches) => () => resync(hub, [controller], messaging.queue).catch(fail);
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

  return cleanup.move();
}
