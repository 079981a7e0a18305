import { byCodeUnit } from "../../../domain/kubernetes/json/values.ts";
import type { Kind } from "../../../domain/kubernetes/object.ts";
import type { HubChange, ObjectChange } from "../../../ports/hub.ts";
import {
  type HubClock,
  keyText,
  type ObjectKey,
  type StoredObject,
  toObject,
} from "../semantics/stored-object.ts";

type TypeOf = Pick<ObjectKey, "apiVersion" | "kind">;

const typeText = ({ apiVersion, kind }: TypeOf) => `${apiVersion} ${kind}`;

export type MemoryStore = ReturnType<typeof memoryStore>;

/** Returns a store of objects in memory. `onChange` is called for every change, before watches get the change. */
export function memoryStore(
  { nextRevision }: Pick<HubClock, "nextRevision">,
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

    async *watch(kind: Kind, end: AbortSignal): AsyncGenerator<HubChange, void, void> {
      const present = sorted(kind).map((object): HubChange => ({ verb: "add", object: toObject(object) }));
      const waiting: HubChange[] = [...present, { verb: "synced" }];
      let wake = () => {};
      const ended = () => wake();
      const watcher = (change: ObjectChange): void => {
        if (typeText(change.object) !== typeText(kind)) return;
        waiting.push(change);
        wake();
      };
      watchers.add(watcher);
      end.addEventListener("abort", ended);
      try {
        while (!end.aborted) {
          for (const change of waiting.splice(0)) {
            yield change;
            if (end.aborted) return;
          }
          if (waiting.length > 0) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        watchers.delete(watcher);
        end.removeEventListener("abort", ended);
      }
    },
  };
}
