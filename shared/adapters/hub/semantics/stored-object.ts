import { kindOf } from "../../../domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectMeta, ObjectReference } from "../../../domain/kubernetes/object.ts";

/** What identifies an object on a hub; `namespace` is empty for cluster-scoped kinds. */
export type ObjectKey = Readonly<{ apiVersion: string; kind: string; namespace: string; name: string }>;

/** The metadata that only the hub sets; kept in the index, never in the files. */
export type ServerFields = Readonly<{
  uid: string;
  /** The hub's revision of the object's last change, told as its resourceVersion. */
  revision: number;
  generation: number;
  creationTimestamp: string;
  /** Set while an object that is deleted waits for its finalizers. */
  deletionTimestamp: string | undefined;
}>;

/** An object taken apart: what its owner writes, what its controller writes, what a manifest claims of the rest. */
export type Parts = Readonly<{
  key: ObjectKey;
  body: KubernetesObject;
  status: unknown;
  claimed: Readonly<{
    uid: string | undefined;
    generation: number | undefined;
    creationTimestamp: string | undefined;
  }>;
}>;

/** Kinds of the core group (Event, ConfigMap, …) have neither a generation nor a status of their own here. */
export function hasGeneration({ apiVersion }: Readonly<{ apiVersion: string }>): boolean {
  return apiVersion.includes("/");
}

/** The namespace an object is stored under: none for cluster-scoped kinds, `default` where it is left open. */
function namespaceOf(
  reference: Readonly<{ apiVersion: string; kind: string; namespace?: string | undefined }>,
): string {
  const kind = kindOf(reference);
  if (!kind) return reference.namespace ?? "";
  return kind.namespaced ? reference.namespace || "default" : "";
}

/** What an object is stored under, its namespace as the API would have it. */
export function keyOf(reference: ObjectReference): ObjectKey {
  const { apiVersion, kind, name } = reference;
  return { apiVersion, kind, namespace: namespaceOf(reference), name };
}

function isEmptyCollection(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** As an API server stores it: fields of `metadata` that are null or an empty collection are left out. */
function withoutEmptyFields<Fields extends object>(fields: Fields): Fields {
  const kept: Fields = { ...fields };
  for (const [field, value] of Object.entries(fields))
    if (value === null || value === undefined || isEmptyCollection(value))
      Reflect.deleteProperty(kept, field);
  return kept;
}

/** Splits an object into what its owner, its controller and the hub are responsible for. */
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

/** The object as the hub answers it. */
export function assemble(
  body: KubernetesObject,
  { uid, revision, generation, creationTimestamp, deletionTimestamp }: ServerFields,
  status: unknown,
): KubernetesObject {
  const { apiVersion, kind, metadata, ...rest } = body;
  const { name, namespace, ...others } = metadata;
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
