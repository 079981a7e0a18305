import { hubEvent } from "../domain/events/hub-event.ts";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import { displayName, type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { Hub } from "../ports/hub.ts";
import type { Log } from "../ports/log.ts";
import type { Queue } from "../ports/queue.ts";
import { type Outbox, type OutboxOptions, outbox } from "./outbox.ts";
import type { Interest } from "./reaction.ts";

/** How long what still waits may take when the end has come. */
const farewellMs = 5_000;

/** The kinds that any of these functions wants to hear of, each once: a watch is a connection to the hub. */
function kindsOf(interests: readonly Interest[]): readonly Kind[] {
  const named = interests.flatMap(({ kinds }) => kinds.map((kind) => [JSON.stringify(kind), kind] as const));
  return [...new Map(named).values()];
}

/** What names an object among all others, whatever its version. */
function identityOf(reference: ObjectReference): string {
  return `${reference.apiVersion} ${displayName(reference)}`;
}

/**
 * Sends every change that concerns one of these functions to its queue as a hub event, until the signal aborts.
 * It starts with an `add` for every object that is there: whoever takes over from a forwarder that was killed
 * repeats rather than misses. A queue that does not take its messages holds back the watch, so memory stays
 * bounded. Answers how many messages were left unsent in the end.
 */
export async function forwardChanges({
  hub,
  interests,
  queue,
  signal,
  log,
  sending = {},
}: Readonly<{
  hub: Hub;
  interests: readonly Interest[];
  /** The queue of this name. */
  queue: (name: string) => Queue;
  signal: AbortSignal;
  log: Log;
  sending?: Pick<OutboxOptions, "capacity" | "lanes" | "retryMs">;
}>): Promise<number> {
  const names = [...new Set(interests.map((interest) => interest.queue))];
  const boxes = new Map<string, Outbox>(
    names.map((name) => [name, outbox({ ...sending, queue: queue(name), signal, log })]),
  );

  /** The boxes that an object's events go into; none for the many MachineConfigs that concern nobody. */
  const boxesFor = (reference: ObjectReference): readonly Outbox[] => {
    const concerned = interests.filter(({ keyOf }) => keyOf(reference) !== undefined);
    const wanted = new Set(concerned.map((interest) => interest.queue));
    return [...boxes].flatMap(([name, box]) => (wanted.has(name) ? [box] : []));
  };

  const kinds = kindsOf(interests);
  let unsent: readonly number[] = [];
  try {
    for await (const change of hub.watch(kinds, signal, { metadataOnly: true })) {
      if (change.verb === "synced") {
        await Promise.all([...boxes.values()].map((box) => box.drained()));
        log({ event: "synced", kinds: kinds.map(({ kind }) => kind) });
        continue;
      }
      const reference = referenceTo(change.object);
      const body = JSON.stringify(hubEvent(change.verb, reference, { source: hub.id }));
      for (const box of boxesFor(reference)) await box.put(identityOf(reference), { body });
    }
  } finally {
    unsent = await Promise.all([...boxes.values()].map((box) => box.close(farewellMs)));
  }
  return unsent.reduce((sum, count) => sum + count, 0);
}
