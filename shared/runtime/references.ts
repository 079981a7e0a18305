import type { JsonObject } from "../domain/events/envelope.ts";
import { type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Watches } from "./controller.ts";

/** An object that leads to a key, and what its events tell besides. */
export type Lead = Readonly<{ reference: ObjectReference; feedback?: JsonObject }>;

/** Everything on the hub that a function keeps in order: each key with one object that leads to it. */
export async function referencesByKey(
  hub: HubReader,
  { kinds, feedback, mapToKey }: Pick<Watches, "kinds" | "feedback" | "mapToKey">,
): Promise<ReadonlyMap<string, Lead>> {
  const byKey = new Map<string, Lead>();
  const note = (reference: ObjectReference, told?: JsonObject) => {
    const key = mapToKey(reference, told);
    if (key !== undefined && !byKey.has(key))
      byKey.set(key, { reference, ...(told ? { feedback: told } : {}) });
  };
  for (const kind of kinds) for (const object of await hub.list(kind)) note(referenceTo(object));
  if (feedback) {
    const telling = await hub.list(feedback.kind, { withLabel: feedback.label });
    for (const object of telling) {
      const told = feedback.of(object);
      if (told) note(referenceTo(object), told);
    }
  }
  return byKey;
}
