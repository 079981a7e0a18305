import {
  isKind,
  type Kind,
  type KubernetesObject,
  type ObjectReference,
  parseNamespacedName,
  referenceTo,
} from "../domain/kubernetes/object.ts";
import type { HubReader } from "../ports/hub.ts";
import { everyName, type Key, type Selector, type Watch, type Watches } from "./controller.ts";

/** Reports whether a selector selects this name; labels are selected by the hub only. */
export function isNameSelected({ name: wanted }: Selector = {}, name: string): boolean {
  return typeof wanted === "function" ? wanted(name) : wanted === undefined || wanted === name;
}

/** Returns the watches that an event about this object comes from. */
export function watchesFor(
  { watches }: Pick<Watches, "watches">,
  reference: ObjectReference,
): readonly Watch[] {
  return watches.filter(
    ({ kind, selector }) =>
      isKind(kind, reference) && (reference.name === everyName || isNameSelected(selector, reference.name)),
  );
}

/** Returns a reference to the object of this kind that a key names. */
export function keyReference({ apiVersion, kind }: Kind, key: Key): ObjectReference {
  const { namespace, name } = parseNamespacedName(key.name);
  return {
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(key.part === undefined ? {} : { cluster: key.part }),
  };
}

async function selected(
  hub: HubReader,
  { kind, selector = {}, refersTo }: Watch,
): Promise<readonly KubernetesObject[]> {
  const { withLabel, name } = selector;
  const objects = await hub.list(kind, {
    metadataOnly: refersTo === undefined,
    ...(withLabel ? { withLabel } : {}),
    ...(typeof name === "string" ? { name } : {}),
  });
  return objects.filter(({ metadata }) => isNameSelected(selector, metadata.name));
}

/**
 * Returns the name of every key that a function manages on the hub, each with one object that maps to it. Kinds that were
 * `listed` without a selector are not listed again.
 */
export async function referencesByKey(
  hub: HubReader,
  { watches }: Pick<Watches, "watches">,
  listed: ReadonlyMap<Kind, readonly KubernetesObject[]> = new Map(),
): Promise<ReadonlyMap<string, ObjectReference>> {
  const byKey = new Map<string, ObjectReference>();
  for (const watch of watches.filter(({ sourceOf }) => !sourceOf))
    for (const object of listed.get(watch.kind) ?? (await selected(hub, watch))) {
      const reference = watch.refersTo ? watch.refersTo(object) : referenceTo(object);
      if (!reference) continue;
      for (const { mapToKeys } of watchesFor({ watches }, reference))
        for (const { name } of await mapToKeys(reference, hub))
          if (!byKey.has(name)) byKey.set(name, reference);
    }
  return byKey;
}
