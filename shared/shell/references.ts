import { type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { HubReader } from "../ports/hub.ts";
import type { Interest } from "./reaction.ts";

/** Everything on the hub that a function keeps in order: each key with one object that leads to it. */
export async function referencesByKey(
  hub: HubReader,
  { kinds, keyOf }: Pick<Interest, "kinds" | "keyOf">,
): Promise<ReadonlyMap<string, ObjectReference>> {
  const byKey = new Map<string, ObjectReference>();
  for (const kind of kinds) {
    for (const object of await hub.list(kind)) {
      const reference = referenceTo(object);
      const key = keyOf(reference);
      if (key !== undefined && !byKey.has(key)) byKey.set(key, reference);
    }
  }
  return byKey;
}
