import { hubEvent } from "#shared/domain/events/hub-event.ts";
import { type ObjectReference, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Interest } from "#shared/shell/reaction.ts";

/**
 * The safety net under lost events: sends one reference for everything that a function reconciles, however many
 * objects lead to it. Answers the number of messages sent.
 */
export async function resync(
  hub: Hub,
  interests: readonly Interest[],
  queue: (name: string) => Queue,
): Promise<number> {
  let sent = 0;
  for (const { kinds, keyOf, queue: queueName } of interests) {
    const byKey = new Map<string, ObjectReference>();
    for (const kind of kinds) {
      for (const object of await hub.list(kind)) {
        const reference = referenceTo(object);
        const key = keyOf(reference);
        if (key !== undefined && !byKey.has(key)) byKey.set(key, reference);
      }
    }
    const messages = [...byKey.values()].map((reference) => ({
      body: JSON.stringify(hubEvent("update", reference, { source: hub.id })),
    }));
    await queue(queueName).send(messages);
    sent += messages.length;
  }
  return sent;
}
