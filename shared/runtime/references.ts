import type { JsonObject } from "../domain/events/envelope.ts";
import { type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Watches } from "./controller.ts";

/** An object that maps to a key, and the feedback of its events. */
export type KeyReference = Readonly<{ reference: ObjectReference; feedback?: JsonObject }>;

/** Returns every key that a function manages on the hub, each with one object that maps to it. */
export async function referencesByKey(
  hub: HubReader,
  { kinds, feedback, mapToKey }: Pick<Watches, "kinds" | "feedback" | "mapToKey">,
): Promise<ReadonlyMap<string, KeyReference>> {
  const byKey = new Map<string, KeyReference>();
  const add = (reference: ObjectReference, ownFeedback?: JsonObject) => {
    const key = mapToKey(reference, ownFeedback);
    if (key !== undefined && !byKey.has(key))
      byKey.set(key, { reference, ...(ownFeedback ? { feedback: ownFeedback } : {}) });
  };
  for (const kind of kinds) for (const object of await hub.list(kind)) add(referenceTo(object));
  if (feedback) {
    const labelled = await hub.list(feedback.kind, { withLabel: feedback.label });
    for (const object of labelled) {
      const ownFeedback = feedback.of(object);
      if (ownFeedback) add(referenceTo(object), ownFeedback);
    }
  }
  return byKey;
}
