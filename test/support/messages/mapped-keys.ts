import type { ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Key, Watches } from "#shared/runtime/controller.ts";
import { watchesFor } from "#shared/runtime/references.ts";

async function unread(): Promise<never> {
  throw new Error("this mapping must not read the hub");
}

/** Returns the keys that a message about this object requests of a function. */
export async function mappedKeys(
  watches: Pick<Watches, "watches">,
  reference: ObjectReference,
  hub: HubReader = { id: "urn:test:hub", get: unread, list: unread },
): Promise<readonly Key[]> {
  const keys = await Promise.all(
    watchesFor(watches, reference).map(async ({ mapToKeys }) => mapToKeys(reference, hub)),
  );
  return keys.flat();
}
