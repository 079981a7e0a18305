import { nameProblems } from "../../../domain/issues/object-name.ts";
import { isSameJson, ownValue } from "../../../domain/kubernetes/json/values.ts";
import {
  displayName,
  type Kind,
  type KubernetesObject,
  kindOf,
  type ObjectReference,
  referenceTo,
} from "../../../domain/kubernetes/object.ts";
import {
  type Hub,
  type HubChange,
  HubError,
  type ListOptions,
  type WatchOptions,
} from "../../../ports/hub.ts";
import { fileProblem } from "../../file-text.ts";
import {
  deleted,
  type HubClock,
  keyOf,
  type ObjectKey,
  receivedParts,
  type StoredObject,
  toObject,
} from "./stored-object.ts";

/** Returns a function that reports whether a list or watch with these options includes an object. */
export function selection({
  namespace,
  name,
  labels = {},
  withLabel,
  withoutLabel,
}: ListOptions & WatchOptions) {
  const wanted = Object.entries(labels);
  return ({ metadata }: KubernetesObject): boolean =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    wanted.every(([label, value]) => ownValue(metadata.labels, label) === value) &&
    (withLabel === undefined || ownValue(metadata.labels, withLabel) !== undefined) &&
    (withoutLabel === undefined || ownValue(metadata.labels, withoutLabel) === undefined);
}

type ObjectStore = HubClock &
  Readonly<{
    find(key: ObjectKey): Promise<StoredObject | undefined>;
    list(kind: Kind, namespace: string | undefined): Promise<readonly StoredObject[]>;
    /** Runs `work` on the current object exclusively. All writes of the object must be made within `work`. */
    write<Result>(key: ObjectKey, work: (stored: StoredObject | undefined) => Result): Promise<Result>;
    create(key: ObjectKey, body: KubernetesObject): StoredObject;
    replace(stored: StoredObject, body: KubernetesObject): StoredObject;
    saveStatus(stored: StoredObject, status: unknown): StoredObject;
    /** Saves an object. Only the metadata that the hub sets may have changed. */
    save(stored: StoredObject): void;
    remove(stored: StoredObject): void;
    watch(kind: Kind, signal: AbortSignal): AsyncIterable<HubChange>;
  }>;

/** Returns any error as a `HubError`. `what` is the verb and the object of the request. */
export function asHubError(error: unknown, what: string): HubError {
  const code = error instanceof HubError ? error.code : "InternalError";
  return new HubError(code, `${what}: ${fileProblem(error)}`, { cause: error });
}

function found(stored: StoredObject | undefined): StoredObject {
  if (stored) return stored;
  throw new HubError("NotFound", "no such object");
}

function checkUid({ server }: StoredObject, uid: string | undefined): void {
  if (uid && uid !== server.uid)
    throw new HubError("Conflict", `the stored object has uid ${server.uid}, not ${uid}`);
}

function checkVersion({ server }: StoredObject, resourceVersion: string | undefined): void {
  if (resourceVersion && resourceVersion !== String(server.revision))
    throw new HubError("Conflict", "the object has been modified; read it again and retry");
}

function checkNew(key: ObjectKey, object: KubernetesObject): void {
  const { metadata } = object;
  const kind = kindOf(key);
  if (!kind) throw new HubError("NotFound", `the hub has no kind ${key.kind} in ${key.apiVersion}`);
  for (const { field, value, message, remedy } of nameProblems(object))
    throw new HubError("Invalid", `metadata.${field} ${JSON.stringify(value)}: ${message} ${remedy}`);
  if (kind.namespaced && !metadata.namespace)
    throw new HubError("Invalid", "metadata.namespace must be set, the kind is namespaced");
  if (metadata.resourceVersion)
    throw new HubError("Invalid", "metadata.resourceVersion must not be set on an object to be created");
}

function checkedForUpdate(stored: StoredObject | undefined, { metadata }: KubernetesObject): StoredObject {
  const present = found(stored);
  if (!metadata.resourceVersion)
    throw new HubError("Invalid", "metadata.resourceVersion must be specified for an update");
  checkVersion(present, metadata.resourceVersion);
  checkUid(present, metadata.uid);
  return present;
}

/**
 * Returns a hub that keeps its objects in `store` and handles requests as a Kubernetes API server does. As for every
 * custom resource, an update without a resourceVersion is `Invalid`.
 */
export function hubOnStore(id: string, store: ObjectStore): Hub {
  async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw asHubError(error, what);
    }
  }

  function write<Result>(
    verb: string,
    reference: ObjectReference,
    work: (stored: StoredObject | undefined, key: ObjectKey) => Result,
  ): Promise<Result> {
    const key = keyOf(reference);
    return attempt(`${verb} ${displayName(reference)}`, () =>
      store.write(key, (stored) => work(stored, key)),
    );
  }

  return {
    id,

    get(kind, name, namespace = "") {
      const reference = { ...kind, name, namespace };
      return attempt(`get ${displayName(reference)}`, async () => {
        if (kind.namespaced && !namespace) return undefined; // as on a server: no such path
        const stored = await store.find(keyOf(reference));
        return stored && toObject(stored);
      });
    },

    list(kind, { namespace, keep = (object: KubernetesObject) => object, ...options } = {}) {
      return attempt(`list ${kind.kind}`, async () => {
        const objects = await store.list(kind, kind.namespaced ? namespace : undefined);
        return objects.map(toObject).filter(selection(options)).map(keep);
      });
    },

    create(object) {
      return write("create", referenceTo(object), (stored, key) => {
        checkNew(key, object);
        if (stored) throw new HubError("AlreadyExists", "the object already exists");
        return toObject(store.create(key, receivedParts(object).body));
      });
    },

    update(object) {
      return write("update", referenceTo(object), (stored) => {
        const present = checkedForUpdate(stored, object);
        const { body } = receivedParts(object);
        if (isSameJson(body, present.body)) return toObject(present);
        if (!present.server.deletionTimestamp || body.metadata.finalizers)
          return toObject(store.replace(present, body));
        store.remove(present);
        return toObject({ ...present, body });
      });
    },

    updateStatus(object) {
      return write("update the status of", referenceTo(object), (stored) => {
        const present = checkedForUpdate(stored, object);
        const { status } = receivedParts(object);
        return toObject(isSameJson(status, present.status) ? present : store.saveStatus(present, status));
      });
    },

    delete(reference) {
      return write("delete", reference, (stored) => {
        const present = found(stored);
        checkUid(present, reference.uid);
        checkVersion(present, reference.resourceVersion);
        if (!present.body.metadata.finalizers) store.remove(present);
        else if (!present.server.deletionTimestamp) store.save(deleted(present, store));
      });
    },

    async *watch(kind, signal, options = {}) {
      const isSelected = selection(options);
      for await (const change of store.watch(kind, signal))
        if (change.verb === "synced" || isSelected(change.object)) yield change;
    },
  };
}
