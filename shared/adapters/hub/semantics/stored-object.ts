import { isSameJson } from "../../../domain/kubernetes/json/values.ts";
import {
  type KubernetesObject,
  kindOf,
  type ObjectMeta,
  type ObjectReference,
  timestamp,
  withoutManagedFields,
} from "../../../domain/kubernetes/object.ts";

export type HubClock = Readonly<{ now(): Date; nextRevision(): number }>;

/** Returns the server fields of a new object. Uses the given creation time and generation, if there are any. */
export function newServerFields(
  uid: string,
  { now, nextRevision }: HubClock,
  { generation, creationTimestamp }: Partial<Claims> = {},
): ServerFields {
  return {
    uid,
    revision: nextRevision(),
    generation: generation && generation > 0 ? generation : 1,
    creationTimestamp: creationTimestamp || timestamp(now()),
    deletionTimestamp: undefined,
  };
}

function isSameBesidesMetadata(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson({ ...a, metadata: undefined }, { ...b, metadata: undefined });
}

/** Returns the object with another body and status; the same object if nothing differs. */
export function rewritten(
  stored: StoredObject,
  { body = stored.body, status }: Readonly<{ body?: KubernetesObject; status: unknown }>,
  { nextRevision }: Pick<HubClock, "nextRevision">,
): StoredObject {
  if (isSameJson(stored.body, body) && isSameJson(stored.status, status)) return stored;
  const generation = stored.server.generation + (isSameBesidesMetadata(stored.body, body) ? 0 : 1);
  return { ...stored, body, status, server: { ...stored.server, revision: nextRevision(), generation } };
}

/** Returns the object with a deletion time. The hub removes the object once it has no finalizers. */
export function deleted(stored: StoredObject, clock: HubClock): StoredObject {
  const { server } = stored;
  return {
    ...stored,
    server: {
      ...server,
      revision: clock.nextRevision(),
      generation: server.generation + (hasGeneration(stored.key) ? 1 : 0),
      deletionTimestamp: timestamp(clock.now()),
    },
  };
}

/** The identity of an object on a hub. `namespace` is empty for a cluster-scoped kind. */
export type ObjectKey = Readonly<{ apiVersion: string; kind: string; namespace: string; name: string }>;

/** The metadata that only the hub sets. It is not in `body`. */
export type ServerFields = Readonly<{
  uid: string;
  /** The hub's revision at the object's last change. It is the object's resourceVersion. */
  revision: number;
  generation: number;
  creationTimestamp: string;
  /** Set while a deleted object waits for its finalizers. */
  deletionTimestamp: string | undefined;
}>;

/** An object of a hub. `body` is written by its owner, `status` by its controller, and `server` by the hub. */
export type StoredObject = Readonly<{
  key: ObjectKey;
  body: KubernetesObject;
  status: unknown;
  server: ServerFields;
}>;

type Claims = Readonly<{
  uid: string | undefined;
  generation: number | undefined;
  creationTimestamp: string | undefined;
}>;

/** A received object in parts. `claimed` has the received values of the fields that only the hub sets. */
export type Parts = Omit<StoredObject, "server"> & Readonly<{ claimed: Claims }>;

/** Objects of kinds outside the core group get a generation and a status subresource. */
function hasGeneration({ apiVersion }: Readonly<{ apiVersion: string }>): boolean {
  return apiVersion.includes("/");
}

function namespaceOf(
  reference: Readonly<{ apiVersion: string; kind: string; namespace?: string | undefined }>,
): string {
  const kind = kindOf(reference);
  if (!kind) return reference.namespace ?? "";
  return kind.namespaced ? reference.namespace || "default" : "";
}

/** Returns the key of an object. Its namespace is `default` if none is set, and empty for a cluster-scoped kind. */
export function keyOf(reference: ObjectReference): ObjectKey {
  const { apiVersion, kind, name } = reference;
  return { apiVersion, kind, namespace: namespaceOf(reference), name };
}

/** Returns a text that only this key has. Texts of one kind sort by namespace and name. */
export function keyText({ apiVersion, kind, namespace, name }: ObjectKey): string {
  return [apiVersion, kind, namespace, name].join("\n");
}

function isEmptyCollection(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** An API server does not store empty fields of `metadata`. */
function withoutEmptyFields<Fields extends object>(fields: Fields): Fields {
  const kept: Fields = { ...fields };
  for (const [field, value] of Object.entries(fields))
    if (value === null || value === undefined || isEmptyCollection(value))
      Reflect.deleteProperty(kept, field);
  return kept;
}

/** Splits an object into the parts that its owner, its controller and the hub write. */
export function partsOf(object: KubernetesObject): Parts {
  const { apiVersion, kind, metadata, status, ...rest } = object;
  const {
    name,
    namespace: given,
    uid,
    resourceVersion: _resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp: _deletionTimestamp,
    deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
    selfLink: _selfLink,
    ...others
  }: ObjectMeta & Readonly<Record<string, unknown>> = metadata;
  const namespace = namespaceOf({ apiVersion, kind, namespace: given });
  const own = { name, ...(namespace ? { namespace } : {}), ...others };
  return {
    key: { apiVersion, kind, namespace, name },
    body: { apiVersion, kind, metadata: withoutEmptyFields(own), ...rest },
    status,
    claimed: { uid, generation, creationTimestamp },
  };
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

function definitionOf(object: KubernetesObject): KubernetesObject {
  const { metadata, ...body } = withoutManagedFields(partsOf(object).body);
  const { [lastApplied]: _, ...annotations } = metadata.annotations ?? {};
  return { ...body, metadata: withoutEmptyFields({ ...metadata, annotations }) };
}

/** Reports whether two objects are equal apart from status and the fields that a server or kubectl adds. */
export function isSameDefinition(a: KubernetesObject, b: KubernetesObject): boolean {
  return isSameJson(definitionOf(a), definitionOf(b));
}

function hasUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.values(value).some(hasUndefined);
}

/** Returns the parts of an object without fields whose value is `undefined`, which JSON cannot send to a server. */
export function receivedParts(object: KubernetesObject): Parts {
  // Most objects have no undefined field, and a copy by JSON would take most of a request's time.
  return partsOf(hasUndefined(object) ? JSON.parse(JSON.stringify(object)) : object);
}

const returned = new WeakMap<Omit<StoredObject, "key">, KubernetesObject>();

/** Returns the object as readers get it. Returns the same JavaScript object until the next write. */
export function toObject(stored: Omit<StoredObject, "key">): KubernetesObject {
  const known = returned.get(stored);
  if (known) return known;
  const object = joined(stored);
  returned.set(stored, object);
  return object;
}

function joined({ body, status, server }: Omit<StoredObject, "key">): KubernetesObject {
  const { apiVersion, kind, metadata, ...rest } = body;
  const { name, namespace, ...others } = metadata;
  const { uid, revision, generation, creationTimestamp, deletionTimestamp } = server;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      uid,
      resourceVersion: String(revision),
      ...(hasGeneration(body) ? { generation } : {}),
      creationTimestamp,
      ...(deletionTimestamp ? { deletionTimestamp, deletionGracePeriodSeconds: 0 } : {}),
      ...others,
    },
    ...rest,
    ...(status === undefined ? {} : { status }),
  };
}
