import type { Kind, KubernetesObject } from "../../../domain/kubernetes/object.ts";
import type { Hub, ObjectChange } from "../../../ports/hub.ts";
import { hubOnStore } from "../semantics/hub-on-store.ts";
import {
  keyOf,
  newServerFields,
  type ObjectKey,
  receivedParts,
  rewritten,
  type StoredObject,
  toObject,
} from "../semantics/stored-object.ts";
import { memoryStore } from "./memory-store.ts";

export type MemoryHubOptions = Readonly<{
  id: string;
  now(): Date;
  onChange?: (change: ObjectChange) => void;
}>;

export type MemoryHub = Hub &
  Readonly<{
    /** Creates or replaces an object and its status, without a check of the version. */
    put(object: KubernetesObject): KubernetesObject;
    find(kind: Kind, name: string, namespace?: string): KubernetesObject | undefined;
    all(kind: Kind): readonly KubernetesObject[];
  }>;

const uidOf = (revision: number) => `00000000-0000-4000-8000-${String(revision).padStart(12, "0")}`;

/** Returns a hub in memory, for tests and simulations. Its uids and versions are the same in every run. */
export function memoryHub({ id, now, onChange }: MemoryHubOptions): MemoryHub {
  let revision = 0;
  const clock = { now, nextRevision: () => ++revision };
  const store = memoryStore(clock, onChange);
  const { at, sorted, save } = store;

  function create(key: ObjectKey, body: KubernetesObject, status?: unknown): StoredObject {
    return save({ key, body, status, server: newServerFields(uidOf(revision + 1), clock) });
  }

  const hub = hubOnStore(id, {
    ...clock,
    ...store,
    find: async (key) => at(key),
    list: async (kind, namespace) => sorted(kind, namespace),
    write: async (key, work) => work(at(key)),
    create,
    replace: (present, body) => save(rewritten(present, { body, status: present.status }, clock)),
    saveStatus: (present, status) => save(rewritten(present, { status }, clock)),
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
