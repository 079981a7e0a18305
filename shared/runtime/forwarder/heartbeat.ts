import { sentence } from "../../domain/text/redact.ts";
import type { Log } from "../../ports/log.ts";
import { heartbeatAnnotation } from "./lease-candidate.ts";

/** How long a failed watch suppresses heartbeats. This must be longer than the pauses between attempts to watch. */
const watchFailureMs = 120_000;

/**
 * Decides from log entries when a forwarder has a heartbeat, and whether it is ready. A heartbeat means that all
 * existing objects are sent, and that no queue or watch fails. A leader is ready once all existing objects are sent,
 * but only while some queue accepts messages; a standby is always ready.
 */
export function heartbeats({
  queues,
  log,
  now = () => new Date(),
  elapsedMs = () => performance.now(),
}: Readonly<{
  queues: ReadonlySet<string>;
  log: Log;
  now?: () => Date;
  elapsedMs?: () => number;
}>): Readonly<{
  /** The log that the forwarder must use, because heartbeats and readiness follow from its entries. */
  log: Log;
  watchFailed(): void;
  queuesResponded(): void;
  /** Returns the reason why the forwarder is not ready; undefined if it is ready. */
  notReady(): string | undefined;
  standby(): string | undefined;
  /** Returns the annotation for the Lease with the time of the last heartbeat; empty before the first heartbeat. */
  annotations(): Readonly<Record<string, string>>;
}> {
  let isSynced = false;
  let unsent: string | undefined = "The hub's objects have not been sent yet.";
  let leader: string | undefined;
  let watchFailedMs = Number.NEGATIVE_INFINITY;
  // A queue that responds may still reject messages, since sending needs its own permission and KMS key.
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
      beat(); // every queue has accepted its messages
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
