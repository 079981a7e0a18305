import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError } from "#shared/ports/port-error.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { heartbeatOf, type LeaseName } from "#shared/runtime/forwarder/lease-candidate.ts";
import { maintenanceWindowWatches } from "../maintenance-window/watches.ts";
import { resync } from "./resync.ts";

/**
 * Logs the seconds since the last heartbeat of the forwarder with this Lease. Logs nothing before the first heartbeat,
 * since the alarm also fires for absent data. An error is logged, not thrown: the tick has to continue.
 */
export async function reportHeartbeat({
  hub,
  lease,
  log,
  now,
}: Readonly<{ hub: HubReader; lease: LeaseName; log: Log; now(): Date }>): Promise<void> {
  const name = `${lease.namespace}/${lease.name}`;
  try {
    const held = await hub.get(kinds.Lease, lease.name, lease.namespace);
    const heartbeat = held && heartbeatOf(held);
    if (!heartbeat) return;
    const silentSeconds = Math.max(0, Math.floor((now().getTime() - heartbeat.getTime()) / 1000));
    log({ event: "heartbeat-read", lease: name, silentSeconds });
  } catch (error) {
    log({ event: "retry", key: name, error: describeError(error), delaySeconds: 0, attempt: 1 });
  }
}

const windowTickMs = 60_000;

/** Sends a message about maintenance windows every minute, so that windows open and close in time. */
export async function tickWindows({
  hub,
  served,
  queue,
  signal,
  log,
  now,
  delay,
}: Readonly<{
  hub: HubReader;
  served: readonly Watches[];
  queue: (name: string) => Queue;
  signal: AbortSignal;
  log: Log;
  now(): Date;
  /** Resolves when the next tick is due, or when the signal aborts. */
  delay(ms: number): Promise<void>;
}>): Promise<void> {
  const windows = served.filter(({ name }) => name === maintenanceWindowWatches.name);
  while (windows.length > 0) {
    await delay(windowTickMs);
    if (signal.aborted) return;
    try {
      await resync(hub, windows, queue);
      log({ event: "windows-ticked", atMs: now().getTime() });
    } catch (error) {
      log({
        event: "retry",
        key: maintenanceWindowWatches.name,
        error: describeError(error),
        delaySeconds: windowTickMs / 1000,
        attempt: 1,
      });
    }
  }
}
