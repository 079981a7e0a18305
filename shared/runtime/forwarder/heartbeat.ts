import { sentence } from "../../domain/text/redact.ts";
import type { Log } from "../../ports/log.ts";
import { heartbeatAnnotation } from "./lease.ts";

/** How long a failed watch keeps a heartbeat back: longer than the pauses between attempts. */
const watchFailureMs = 120_000;

/**
 * Decides when a forwarder has a heartbeat: when it has sent all that exists, and then whenever its queues respond, none of
 * them refuses messages, and no watch has failed lately; and whether it is ready: one that leads is ready when it has sent
 * all that exists, and while any queue accepts messages, one on standby always.
 */
export function heartbeats({
  queues,
  log,
  now,
  elapsedMs,
}: Readonly<{
  /** The queues that it sends to. */
  queues: ReadonlySet<string>;
  log: Log;
  now(): Date;
  /** A monotonic clock. */
  elapsedMs(): number;
}>): Readonly<{
  /** The log of the forwarder, whose entries decide; it gets an entry for each heartbeat. */
  log: Log;
  watchFailed(): void;
  queuesResponded(): void;
  /** Returns why the forwarder is not ready; undefined when it is. */
  notReady(): string | undefined;
  /** Returns who leads while the forwarder stands by. */
  standby(): string | undefined;
  /** Returns the last heartbeat, as the Lease records it. */
  annotations(): Readonly<Record<string, string>>;
}> {
  let isSynced = false;
  let unsent: string | undefined = "The hub's objects have not been sent yet.";
  let leader: string | undefined;
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
        unsent = "The hub's objects are being sent.";
        leader = undefined;
        refusing.clear();
      }
      if (entry.event === "standing-by") {
        unsent = undefined;
        leader = entry.holder;
        refusing.clear();
      }
      if (entry.event !== "synced") return;
      isSynced = true;
      unsent = undefined;
      beat(); // every queue has accepted what was sent to it
    },

    watchFailed() {
      watchFailedMs = elapsedMs();
    },

    queuesResponded() {
      if (isSynced && refusing.size === 0 && elapsedMs() - watchFailedMs > watchFailureMs) beat();
    },

    notReady: () => unsent ?? (refusing.size < queues.size ? undefined : "No queue accepts messages."),

    standby: () => leader && sentence`It stands by: ${leader} leads.`,

    annotations: () => annotations,
  };
}
