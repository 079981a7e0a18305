import type { Log } from "../../ports/log.ts";
import { heartbeatAnnotation } from "./lease.ts";

/** How long a failed watch keeps a heartbeat back: longer than the pauses between attempts. */
const watchFailureMs = 120_000;

/**
 * Decides when a forwarder has a heartbeat: when it has sent all that exists, and then whenever its queues respond, none of
 * them refuses messages, and no watch has failed lately.
 */
export function heartbeats({
  log,
  now,
  elapsedMs,
}: Readonly<{
  log: Log;
  now(): Date;
  /** A monotonic clock. */
  elapsedMs(): number;
}>): Readonly<{
  /** The log of the forwarder, whose entries decide; it gets an entry for each heartbeat. */
  log: Log;
  watchFailed(): void;
  queuesResponded(): void;
  /** Returns the last heartbeat, as the Lease records it. */
  annotations(): Readonly<Record<string, string>>;
}> {
  let isSynced = false;
  let watchFailedMs = Number.NEGATIVE_INFINITY;
  // A queue may respond and yet accept nothing: sending needs a right, and a key, of its own.
  const refusing = new Set<string>();
  let annotations: Readonly<Record<string, string>> = {};

  const beat = (): void => {
    const at = now();
    annotations = { [heartbeatAnnotation]: at.toISOString() };
    log({ event: "heartbeat", atMs: at.getTime() });
  };
  return {
    log(entry) {
      log(entry);
      if (entry.event === "not-forwarded") refusing.add(entry.queue);
      if (entry.event === "forwarded") refusing.delete(entry.queue);
      if (entry.event === "leading") {
        isSynced = false;
        refusing.clear();
      }
      if (entry.event !== "synced") return;
      isSynced = true;
      beat(); // every queue has accepted what was sent to it
    },

    watchFailed() {
      watchFailedMs = elapsedMs();
    },

    queuesResponded() {
      if (isSynced && refusing.size === 0 && elapsedMs() - watchFailedMs > watchFailureMs) beat();
    },

    annotations: () => annotations,
  };
}
