import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import { describeError } from "#shared/ports/port-error.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { tickReferences } from "#shared/runtime/references.ts";

/**
 * The result of a tick: the number of sent references, the number of unchanged objects left out, and the queues without
 * new references because messages wait in them.
 */
export type Resynced = Readonly<{ messages: number; unchanged: number; postponed: readonly string[] }>;

/** Maximum visible messages of a queue that is not behind. */
const normalBacklog = 100;
/** Maximum total messages of a queue that is not behind: the messages of a failing object stay for hours. */
const normalRetries = 1_000;

/**
 * Reports whether a queue is behind: it has more than a hundred visible messages, and more than one for every ten
 * references; or more than a thousand messages in all, and more than two for each reference. The second limit is for a
 * function that fails on every object: each tick would add dead letters. A queue with an unknown depth is not behind.
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
 * Sends each function's queue one reference for every object that the function reconciles, to make up for lost events.
 * With `now`, objects that the function knows to be unchanged are left out. The verb is `add`, as in the first events
 * of a watch: the object exists, and its history is unknown. A queue that is behind gets no references: it still has
 * most of the last ones. When objects cannot be listed or a queue fails, the other functions get their references
 * before the error is thrown; several errors are thrown as one `AggregateError`, whose message has them all.
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
