import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { describeError } from "#shared/ports/port-error.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { tickReferences } from "#shared/runtime/references.ts";

/** The result of a tick: sent references, objects left out, and queues that got none because they are behind. */
export type Resynced = Readonly<{ messages: number; unchanged: number; postponed: readonly string[] }>;

const normalBacklog = 100;
/** A normal number of messages: those of a failing object stay in the queue for hours. */
const normalRetries = 1_000;

/**
 * Reports whether a queue has too many messages. The second limit is for a function that fails for every object: each
 * tick would add dead letters.
 */
async function isBehind(queue: Queue, references: number): Promise<boolean> {
  if (references === 0) return false;
  const unknown = { visible: 0, inFlight: 0, delayed: 0 };
  const { visible, inFlight, delayed } = await queue.depth().catch(() => unknown);
  return (
    visible > Math.max(normalBacklog, references / 10) ||
    visible + inFlight + delayed > Math.max(normalRetries, references * 2)
  );
}

/**
 * Sends each function's queue a reference to every object of that function; with `now`, not to unchanged objects. The
 * verb is `add`, as in the first events of a watch. A queue that is behind gets none: it still has most of the last
 * ones. Throws only after all functions had their turn, several errors as one `AggregateError`.
 */
export async function resync(
  hub: HubReader,
  allWatches: readonly Watches[],
  queue: (name: string) => Queue,
  now?: Date,
): Promise<Resynced> {
  const postponed: string[] = [];
  const failures: unknown[] = [];
  let sent = 0;
  let leftOut = 0;
  async function sendReferences(watches: Watches): Promise<void> {
    const target = queue(watches.queue);
    const { references, unchanged, error } = await tickReferences(hub, watches, now && { now });
    if (error) failures.push(error);
    if (await isBehind(target, references.length + unchanged)) {
      postponed.push(watches.queue);
      return;
    }
    await target.send(
      references.map((reference) => ({
        body: JSON.stringify(hubEvent("add", reference, { source: hub.id })),
      })),
    );
    sent += references.length;
    leftOut += unchanged;
  }
  for (const watches of allWatches)
    await sendReferences(watches).catch((error: unknown) => failures.push(error));
  if (failures.length > 1) throw new AggregateError(failures, failures.map(describeError).join("; "));
  if (failures.length > 0) throw failures[0];
  return { messages: sent, unchanged: leftOut, postponed };
}
