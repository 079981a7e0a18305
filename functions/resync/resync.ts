import { hubEvent } from "#shared/domain/events/hub-event.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Interest } from "#shared/shell/reaction.ts";
import { referencesByKey } from "#shared/shell/references.ts";

/**
 * The safety net under lost events: sends one reference for everything that a function reconciles, however many
 * objects lead to it. Answers the number of messages sent.
 */
export async function resync(
  hub: HubReader,
  interests: readonly Interest[],
  queue: (name: string) => Queue,
): Promise<number> {
  let sent = 0;
  for (const interest of interests) {
    const byKey = await referencesByKey(hub, interest);
    const messages = [...byKey.values()].map((reference) => ({
      body: JSON.stringify(hubEvent("update", reference, { source: hub.id })),
    }));
    await queue(interest.queue).send(messages);
    sent += messages.length;
  }
  return sent;
}
