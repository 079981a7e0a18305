import { byCodeUnit } from "../../../domain/json/values.ts";
import type { Kind, KubernetesObject } from "../../../domain/kubernetes/object.ts";
import type { Hub, HubChange, ObjectChange } from "../../../ports/hub.ts";
import { hubOnStore } from "../semantics/hub-on-store.ts";
import { newServerFields, rewritten } from "../semantics/server-fields.ts";
import {
  keyOf,
  keyText,
  type ObjectKey,
  receivedParts,
  type StoredObject,
  toObject,
} from "../semantics/stored-object.ts";
import { countedSignal, watchChanges } from "../semantics/watch-changes.ts";

export type MemoryHubOptions = Readonly<{
  /** The CloudEvents source. */
  id: string;
  now(): Date;
  /** Called for every change, before anything else happens. */
  onChange?: (change: ObjectChange) => void;
}>;

export type MemoryHub = Hub &
  Readonly<{
    /** Creates or replaces an object without a version check, status included. */
    put(object: KubernetesObject): KubernetesObject;
    /** Returns the current object; undefined when it does not exist. */
    find(kind: Kind, name: string, namespace?: string): KubernetesObject | undefined;
    /** Returns all objects of a kind, sorted. */
    all(kind: Kind): readonly KubernetesObject[];
  }>;

type TypeOf = Pick<ObjectKey, "apiVersion" | "kind">;

const typeText = ({ apiVersion, kind }: TypeOf) => `${apiVersion} ${kind}`;

/** Returns the uid of the object that was created at a revision: the same one in every run of a test. */
const uidOf = (revision: number) => `00000000-0000-4000-8000-${String(revision).padStart(12, "0")}`;

/**
 * Returns a hub in memory, for tests and for simulations of thousands of clusters. It ends with the process, and its
 * uids and versions are the same in every run.
 */
export function memoryHub({ id, now, onChange = () => undefined }: MemoryHubOptions): MemoryHub {
  const stored = new Map<string, Map<string, StoredObject>>();
  const watchers = new Set<(change: ObjectChange) => void>();
  let revision = 0;
  const clock = { now, nextRevision: () => ++revision };

  function objectsOf(type: TypeOf): Map<string, StoredObject> {
    const found = stored.get(typeText(type));
    if (found) return found;
    const objects = new Map<string, StoredObject>();
    stored.set(typeText(type), objects);
    return objects;
  }

  const at = (key: ObjectKey) => objectsOf(key).get(keyText(key));

  /** Lists in order, until one of their objects is written: a large fleet is listed more often. */
  const listed = new Map<string, readonly StoredObject[]>();
  const listText = (type: TypeOf, namespace?: string) =>
    namespace === undefined ? typeText(type) : `${typeText(type)} ${namespace}`;

  function sorted(kind: Kind, namespace?: string): readonly StoredObject[] {
    const known = listed.get(listText(kind, namespace));
    if (known) return known;
    const objects = [...objectsOf(kind)]
      .filter(([, { key }]) => namespace === undefined || key.namespace === namespace)
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([, object]) => object);
    listed.set(listText(kind, namespace), objects);
    return objects;
  }

  function forgetLists({ key }: StoredObject): void {
    listed.delete(listText(key));
    listed.delete(listText(key, key.namespace));
  }

  function notify(verb: ObjectChange["verb"], object: StoredObject): void {
    const change = { verb, object: toObject(object) };
    onChange(change);
    for (const watcher of watchers) watcher(change);
  }

  function save(object: StoredObject): StoredObject {
    const verb = at(object.key) ? "update" : "add";
    objectsOf(object.key).set(keyText(object.key), object);
    forgetLists(object);
    notify(verb, object);
    return object;
  }

  function create(key: ObjectKey, body: KubernetesObject, status?: unknown): StoredObject {
    return save({ key, body, status, server: newServerFields(uidOf(revision + 1), clock) });
  }

  function remove(object: StoredObject): void {
    objectsOf(object.key).delete(keyText(object.key));
    forgetLists(object);
    notify("delete", { ...object, server: { ...object.server, revision: clock.nextRevision() } });
  }

  async function* watch(kinds: readonly Kind[], end: AbortSignal): AsyncGenerator<HubChange, void, void> {
    const waiting: HubChange[] = kinds
      .flatMap((kind) => sorted(kind))
      .map((object) => ({ verb: "add", object: toObject(object) }));
    const wanted = new Set(kinds.map(typeText));
    const signal = countedSignal();
    const watcher = (change: ObjectChange): void => {
      if (!wanted.has(typeText(change.object))) return;
      waiting.push(change);
      signal.raise();
    };
    watchers.add(watcher);
    try {
      yield* watchChanges(signal, end, () => waiting.splice(0));
    } finally {
      watchers.delete(watcher);
    }
  }

  const hub = hubOnStore<StoredObject>(id, {
    ...clock,
    find: async (key) => at(key),
    list: async (kind, namespace) => sorted(kind, namespace),
    write: async (key, work) => work(at(key)),
    create,
    replace: (present, body) => save(rewritten(present, { body, status: present.status }, clock)),
    saveStatus: save,
    save,
    remove,
    watch,
  });

  return {
    ...hub,
    put(object) {
      const { key, body, status } = receivedParts(object);
      const present = at(key);
      if (!present) return toObject(create(key, body, status));
      const next = rewritten(present, { body, status }, clock);
      return toObject(next === present ? present : save(next));
    },
    find(kind, name, namespace = "") {
      const found = at(keyOf({ ...kind, name, namespace }));
      return found && toObject(found);
    },
    all: (kind) => sorted(kind).map(toObject),
  };
}
