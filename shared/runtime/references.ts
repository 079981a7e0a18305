import {
  isKind,
  type Kind,
  type KubernetesObject,
  type ObjectReference,
  parseNamespacedName,
  referenceTo,
} from "../domain/kubernetes/object.ts";
import type { HubReader } from "../ports/hub.ts";
import {
  everyName,
  type Key,
  type Selector,
  type TickFindings,
  type TickTime,
  type Watch,
  type Watches,
} from "./controller.ts";

/** Reports whether a selector includes this name. Labels are not checked: the hub has already selected by labels. */
export function isNameSelected({ name: wanted }: Selector = {}, name: string): boolean {
  return typeof wanted === "function" ? wanted(name) : wanted === undefined || wanted === name;
}

/** Returns the function's watches that can cause an event about this object. */
export function watchesFor(
  { watches }: Pick<Watches, "watches">,
  reference: ObjectReference,
): readonly Watch[] {
  return watches.filter(
    ({ kind, selector }) =>
      isKind(kind, reference) && (reference.name === everyName || isNameSelected(selector, reference.name)),
  );
}

/** Returns a reference to the object of this kind with the key's name. */
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

/** Keeps only references to objects, to limit memory. */
async function referencesOf(
  hub: HubReader,
  { kind, selector = {}, refersTo }: Watch,
  listed: readonly KubernetesObject[] | undefined,
): Promise<readonly ObjectReference[]> {
  const { withLabel, name } = selector;
  const toReference = refersTo ?? referenceTo;
  const named = new Map<KubernetesObject, ObjectReference | undefined>();
  const keep = (object: KubernetesObject): KubernetesObject => {
    const { apiVersion, metadata } = object;
    const { name, namespace } = metadata;
    const kept = { apiVersion, kind: object.kind, metadata: { name, ...(namespace ? { namespace } : {}) } };
    named.set(kept, toReference(object));
    return kept;
  };
  const objects =
    listed?.map(keep) ??
    (await hub.list(kind, {
      metadataOnly: refersTo === undefined,
      ...(withLabel ? { withLabel } : {}),
      ...(typeof name === "string" ? { name } : {}),
      keep,
    }));
  const selected = objects.filter(({ metadata }) => isNameSelected(selector, metadata.name));
  // A hub may ignore `keep` and return whole objects, which are not in `named`.
  return selected.flatMap((object) => (named.has(object) ? named.get(object) : toReference(object)) ?? []);
}

/** Returns a reference for each key that a function manages, by the key's name. Does not list kinds in `listed`. */
export async function referencesByKey(
  hub: HubReader,
  { watches }: Pick<Watches, "watches">,
  listed: ReadonlyMap<Kind, readonly KubernetesObject[]> = new Map(),
): Promise<ReadonlyMap<string, ObjectReference>> {
  const byKey = new Map<string, ObjectReference>();
  const named = watches.filter(({ sourceOf }) => !sourceOf);
  const lists = await Promise.all(named.map((watch) => referencesOf(hub, watch, listed.get(watch.kind))));
  for (const references of lists)
    for (const reference of references)
      for (const { mapToKeys } of watchesFor({ watches }, reference))
        for (const { name } of await mapToKeys(reference, hub))
          if (!byKey.has(name)) byKey.set(name, reference);
  return byKey;
}

/** The references that a tick sends, one for each key. `unchanged` is the number of keys that are left out. */
export type TickReferences = Readonly<{
  references: readonly ObjectReference[];
  unchanged: number;
  /** The error if finding the unchanged keys failed. Then no key is left out. */
  error?: unknown;
}>;

const noFindings: TickFindings = { unchanged: new Set(), listed: new Map() };

/** Returns a reference for every key that a function manages. With `time`, unchanged keys are left out. */
export async function tickReferences(
  hub: HubReader,
  watches: Pick<Watches, "watches" | "ticks">,
  time?: TickTime,
): Promise<TickReferences> {
  const { ticks } = watches;
  let findings = noFindings;
  let failure: Readonly<{ error?: unknown }> = {};
  try {
    if (time && ticks) findings = await ticks.find(hub, time);
  } catch (error) {
    failure = { error };
  }
  const byKey = await referencesByKey(hub, watches, findings.listed);
  const references = [...byKey].flatMap(([name, reference]) =>
    findings.unchanged.has(name) ? [] : [reference],
  );
  return { references, unchanged: byKey.size - references.length, ...failure };
}
