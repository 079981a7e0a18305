import { byCodeUnit } from "../../../domain/json/order.ts";
import { isSameJson } from "../../../domain/json/same-json.ts";
import { type Kind, kindOf } from "../../../domain/kubernetes/kinds.ts";
import {
  displayName,
  type KubernetesObject,
  type ObjectReference,
  referenceTo,
} from "../../../domain/kubernetes/object.ts";
import { timestamp } from "../../../domain/kubernetes/timestamp.ts";
import {
  type Hub,
  type HubChange,
  HubError,
  type ListOptions,
  type ObjectChange,
  type WatchOptions,
} from "../../../ports/hub.ts";

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

type TypeOf = Readonly<{ apiVersion: string; kind: string }>;

const typeKey = ({ apiVersion, kind }: TypeOf) => `${apiVersion} ${kind}`;
const keyOf = (name: string, namespace = "") => `${namespace}\n${name}`;

function matches(
  { metadata }: KubernetesObject,
  { namespace, name, labels = {}, withLabel, withoutLabel }: ListOptions & WatchOptions,
): boolean {
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value) &&
    (withLabel === undefined || metadata.labels?.[withLabel] !== undefined) &&
    (withoutLabel === undefined || metadata.labels?.[withoutLabel] === undefined)
  );
}

/**
 * Returns a hub in memory, for simulations of thousands of clusters: with uids, versions, generations, conflicts and
 * watches as on an API server, and nothing else of it. It ends with the process.
 */
export function memoryHub({ id, now, onChange = () => undefined }: MemoryHubOptions): MemoryHub {
  const stored = new Map<string, Map<string, KubernetesObject>>();
  const watchers = new Set<(change: ObjectChange) => void>();
  let version = 0;

  function objectsOf(type: TypeOf): Map<string, KubernetesObject> {
    const found = stored.get(typeKey(type));
    if (found) return found;
    const objects = new Map<string, KubernetesObject>();
    stored.set(typeKey(type), objects);
    return objects;
  }

  function notify(change: ObjectChange): void {
    onChange(change);
    for (const watcher of watchers) watcher(change);
  }

  function save(object: KubernetesObject, verb: "add" | "update"): KubernetesObject {
    const metadata = { ...object.metadata, resourceVersion: String(++version) };
    const saved = { ...object, metadata };
    objectsOf(saved).set(keyOf(metadata.name, metadata.namespace), saved);
    notify({ verb, object: saved });
    return saved;
  }

  const kindFor = (verb: string, reference: ObjectReference): Kind => {
    const kind = kindOf(reference);
    if (kind) return kind;
    throw new HubError("NotFound", `${verb} ${displayName(reference)}: no such kind`);
  };

  function present(verb: string, reference: ObjectReference): KubernetesObject {
    kindFor(verb, reference);
    const found = objectsOf(reference).get(keyOf(reference.name, reference.namespace));
    if (!found) throw new HubError("NotFound", `${verb} ${displayName(reference)}: not found`);
    const { uid, resourceVersion } = found.metadata;
    const isOther =
      (reference.uid && reference.uid !== uid) ||
      (reference.resourceVersion && reference.resourceVersion !== resourceVersion);
    if (isOther)
      throw new HubError("Conflict", `${verb} ${displayName(reference)}: the object has been modified`);
    return found;
  }

  function toReplace(verb: string, object: KubernetesObject): KubernetesObject {
    const reference = referenceTo(object);
    if (!reference.resourceVersion)
      throw new HubError(
        "Invalid",
        `${verb} ${displayName(reference)}: metadata.resourceVersion must be specified`,
      );
    return present(verb, reference);
  }

  function newObject(object: KubernetesObject): KubernetesObject {
    const creationTimestamp = timestamp(now());
    const metadata = { ...object.metadata, uid: `uid-${version + 1}`, creationTimestamp, generation: 1 };
    return { ...object, metadata };
  }

  function replaced(found: KubernetesObject, object: KubernetesObject): KubernetesObject {
    const { status, metadata: _found, ...before } = found;
    const { status: _status, metadata, ...after } = object;
    const { uid, creationTimestamp, generation = 1 } = found.metadata;
    const own = {
      ...metadata,
      ...(uid ? { uid } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
      generation: isSameJson(before, after) ? generation : generation + 1,
    };
    return { ...after, metadata: own, ...(status === undefined ? {} : { status }) };
  }

  const sorted = (kind: Kind, options: ListOptions & WatchOptions) =>
    [...objectsOf(kind).entries()]
      .filter(([, object]) => matches(object, options))
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([, object]) => object);

  return {
    id,
    async get(kind, name, namespace) {
      return objectsOf(kind).get(keyOf(name, namespace));
    },
    async list(kind, options = {}) {
      return sorted(kind, options);
    },
    async create(object) {
      const reference = referenceTo(object);
      kindFor("create", reference);
      if (reference.resourceVersion)
        throw new HubError(
          "Invalid",
          `create ${displayName(reference)}: metadata.resourceVersion must not be set`,
        );
      if (objectsOf(object).has(keyOf(reference.name, reference.namespace)))
        throw new HubError("AlreadyExists", `create ${displayName(reference)}: the object already exists`);
      const { status: _ignored, ...rest } = object;
      return save(newObject(rest), "add");
    },
    async update(object) {
      const found = toReplace("update", object);
      const changed = replaced(found, object);
      return isSameJson(found, {
        ...changed,
        metadata: { ...changed.metadata, resourceVersion: found.metadata.resourceVersion },
      })
        ? found
        : save(changed, "update");
    },
    async updateStatus(object) {
      const found = toReplace("update the status of", object);
      return isSameJson(found.status, object.status)
        ? found
        : save({ ...found, status: object.status }, "update");
    },
    async delete(reference) {
      const found = present("delete", reference);
      objectsOf(reference).delete(keyOf(reference.name, reference.namespace));
      const metadata = { ...found.metadata, resourceVersion: String(++version) };
      notify({ verb: "delete", object: { ...found, metadata } });
    },
    async *watch(kinds, signal, options = {}) {
      const waiting: HubChange[] = kinds
        .flatMap((kind) => sorted(kind, options))
        .map((object) => ({ verb: "add", object }));
      waiting.push({ verb: "synced" });
      const wanted = new Set(kinds.map(typeKey));
      let wake = Promise.withResolvers<void>();
      const watcher = (change: ObjectChange): void => {
        if (!wanted.has(typeKey(change.object)) || !matches(change.object, options)) return;
        waiting.push(change);
        wake.resolve();
      };
      const end = (): void => wake.resolve();
      watchers.add(watcher);
      signal.addEventListener("abort", end);
      try {
        while (!signal.aborted) {
          const some = waiting.splice(0);
          for (const change of some) {
            if (signal.aborted) return;
            yield change;
          }
          if (waiting.length > 0 || signal.aborted) continue;
          await wake.promise;
          wake = Promise.withResolvers();
        }
      } finally {
        watchers.delete(watcher);
        signal.removeEventListener("abort", end);
      }
    },
    put(object) {
      const found = objectsOf(object).get(keyOf(object.metadata.name, object.metadata.namespace));
      return found
        ? save({ ...object, metadata: { ...found.metadata, ...object.metadata } }, "update")
        : save(newObject(object), "add");
    },
    find: (kind, name, namespace) => objectsOf(kind).get(keyOf(name, namespace)),
    all: (kind) => sorted(kind, {}),
  };
}
