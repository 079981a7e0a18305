import { setTimeout as sleep } from "node:timers/promises";
import { hubEvent } from "../domain/events/hub-event.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import { type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { Hub } from "../ports/hub.ts";
import type { OutgoingMessage, Queue } from "../ports/queue.ts";

/** Changes kept in memory while the queue is slow; beyond this the watch itself is held back. */
const longestBacklog = 1000;
const longestPauseMs = 30_000;

/**
 * Sends every change of these kinds to the queue as a hub event until the signal aborts. Changes that come while
 * a send is under way go together in the next one, so a burst becomes few requests. A queue that refuses is
 * asked again with growing pauses; nothing is dropped.
 */
export async function forwardChanges({
  hub,
  kinds,
  concerns,
  queue,
  signal,
  onSynced,
  onForwarded,
  onTrouble,
}: Readonly<{
  hub: Hub;
  kinds: readonly Kind[];
  /** Whether an object's events are wanted at all: a hub holds many MachineConfigs that concern nobody. */
  concerns: (reference: ObjectReference) => boolean;
  queue: Queue;
  signal: AbortSignal;
  /** Once, when all that existed at the start has been sent. */
  onSynced: () => void;
  onForwarded: (messages: number) => void;
  onTrouble: (error: unknown) => void;
}>): Promise<void> {
  const backlog: OutgoingMessage[] = [];
  let sending: Promise<void> | undefined;

  const sendAll = async (): Promise<void> => {
    for (let pauseMs = 250; backlog.length > 0 && !signal.aborted; ) {
      const batch = backlog.slice(0, 100);
      try {
        await queue.send(batch);
        backlog.splice(0, batch.length);
        onForwarded(batch.length);
        pauseMs = 250;
      } catch (error) {
        onTrouble(error);
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
    sending = undefined;
  };

  for await (const change of hub.watch(kinds, signal)) {
    if (change.verb === "synced") {
      await sending;
      onSynced();
      continue;
    }
    const reference = referenceTo(change.object);
    if (!concerns(reference)) continue;
    backlog.push({ body: JSON.stringify(hubEvent(change.verb, reference, { source: hub.id })) });
    sending ??= sendAll();
    if (backlog.length >= longestBacklog) await sending;
  }
  await sending;
}
