import type { HubReader } from "#shared/ports/hub.ts";
import type { Log } from "#shared/ports/log.ts";
import { describeError } from "#shared/ports/port-error.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { maintenanceWindowWatches } from "../maintenance-window/watches.ts";
import { resync } from "./resync.ts";

/** Windows open and close on the minute. */
const windowTickMs = 60_000;

/**
 * Sends a reference to the maintenance windows every minute until the signal aborts, so that they open and close in time;
 * nothing where `served` does not include them. An error is logged: the next tick does the same work, and so does the
 * resync tick.
 */
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
  /** Waits for the next tick, or until the signal aborts. */
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
