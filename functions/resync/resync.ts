import { hubEvent } from "#shared/domain/events/hub-event.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Watches } from "#shared/runtime/controller.ts";
import { referencesByKey } from "#shared/runtime/references.ts";

/**
 * Sends one reference for everything that a function reconciles, as a safety net for lost events. The verb is `add`,
 * as in the first events of a watch: the object exists, and its history is unknown. Returns the number of messages
 * sent.
 */
export async function resync(
  hub: HubReader,
  allWatches: readonly Watches[],
  queue: (name: string) => Queue,
): Promise<number> {
  let sent = 0;
  for (const watches of allWatches) {
    const byKey = await referencesByKey(hub, watches);
    const messages = [...byKey.values()].map((reference) => ({
      body: JSON.stringify(hubEvent("add", reference, { source: hub.id })),
    }));
    await queue(watches.queue).send(messages);
    sent += messages.length;
  }
  return sent;
}
