import { byCodeUnit } from "../../../domain/kubernetes/json/values.ts";
import type { Kind } from "../../../domain/kubernetes/object.ts";
import type { HubChange, ObjectChange } from "../../../ports/hub.ts";
import {
  keyText,
  type ObjectKey,
  type ServerClock,
  type StoredObject,
  toObject,
} from "../semantics/stored-object.ts";

type CountedSignal = ReturnType<typeof countedSignal>;

/** A signal with a count, so that a raise while its receiver is busy is not lost. */
function countedSignal() {
  let waiting: (() => void)[] = [];
  let count = 0;
  return {
    raise(): void {
      count++;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    count: () => count,
    next: (seen: number): Promise<void> =>
      count > seen ? Promise.resolve() : new Promise((wake) => waiting.push(wake)),
  };
}

/**
 * Yields the results of `read`, now and after every signal, until `end` aborts; `synced` follows the first read. A failed
 * read returns undefined and is repeated at the next signal.
 */
async function* watchChanges(
  { raise, count, next }: Pick<CountedSignal, "raise" | "count" | "next">,
  end: AbortSignal,
  read: (count: number) => readonly HubChange[] | undefined,
): AsyncGenerator<HubChange, void, void> {
  end.addEventListener("abort", raise);
  let isSynced = false;
  try {
    while (!end.aborted) {
      const seen = count();
      const changes = read(seen);
      for (const change of changes ?? []) {
        yield change;
        if (end.aborted) return;
      }
      if (changes && !isSynced) {
        yield { verb: "synced" };
        isSynced = true;
      }
      await next(seen);
    }
  } finally {
    end.removeEventListener("abort", raise);
  }
}

type TypeOf = Pick<ObjectKey, "apiVersion" | "kind">;

const typeText = ({ apiVersion, kind }: TypeOf) => `${apiVersion} ${kind}`;

export type MemoryStore = ReturnType<typeof memoryStore>;

/** Returns a store of objects in memory; `onChange` is called for every change, before watches get it. */
export function memoryStore(
  { nextRevision }: Pick<ServerClock, "nextRevision">,
  onChange: (change: ObjectChange) => void = () => undefined,
) {
  const stored = new Map<string, Map<string, StoredObject>>();
  const watchers = new Set<(change: ObjectChange) => void>();

  function objectsOf(type: TypeOf): Map<string, StoredObject> {
    const found = stored.get(typeText(type));
    if (found) return found;
    const objects = new Map<string, StoredObject>();
    stored.set(typeText(type), objects);
    return objects;
  }

  const at = (key: ObjectKey) => objectsOf(key).get(keyText(key));

  /** Sorted lists by kind, cached until one of their objects is written: lists of a large fleet are frequent. */
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

  return {
    at,
    sorted,

    save(object: StoredObject): StoredObject {
      const verb = at(object.key) ? "update" : "add";
      objectsOf(object.key).set(keyText(object.key), object);
      forgetLists(object);
      notify(verb, object);
      return object;
    },

    remove(object: StoredObject): void {
      objectsOf(object.key).delete(keyText(object.key));
      forgetLists(object);
      notify("delete", { ...object, server: { ...object.server, revision: nextRevision() } });
    },

    async *watch(kinds: readonly Kind[], end: AbortSignal): AsyncGenerator<HubChange, void, void> {
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
    },
  };
}
