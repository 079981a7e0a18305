import { redactForeign } from "../credentials/redact.ts";
import { byCodeUnit } from "../json/order.ts";
import { fieldsOf, ownValue } from "../json/values.ts";

/** The part of a Kubernetes owner reference that hubrelay reads and writes. */
export type OwnerReference = Readonly<{ apiVersion: string; kind: string; name: string; uid: string }>;

/** The metadata that hubrelay reads; all other fields are kept unchanged. */
export type ObjectMeta = Readonly<{
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  ownerReferences?: readonly OwnerReference[];
  finalizers?: readonly string[];
}>;

/** Any object of the Kubernetes API: its identity is typed, its content (`spec`, `status`, …) is not. */
export type KubernetesObject = Readonly<{
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}>;

/**
 * A reference to one object. `uid` and `resourceVersion` identify the incarnation and version that was read; both
 * are absent when the sender does not know them (Knative's reference mode). `cluster` is the managed cluster,
 * where the object covers many.
 */
export type ObjectReference = Readonly<{
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  resourceVersion?: string;
  cluster?: string;
}>;

/** Returns the reference to an object as it was read. */
export function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Returns the namespace of an object; `default`, as on an API server, for one of a file that names none. */
export function namespaceOf({ metadata }: Pick<KubernetesObject, "metadata">): string {
  return metadata.namespace || "default";
}

/** Returns `namespace/name`, for use as a key; the namespace is empty when there is none. */
export function namespacedName({ namespace = "", name }: Pick<ObjectMeta, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** Parses what `namespacedName` returns. */
export function parseNamespacedName(key: string): Readonly<{ namespace: string; name: string }> {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(slash, 0)), name: key.slice(slash + 1) };
}

/** Compares objects by namespace, then by name. */
export function byNamespaceAndName(
  { metadata: a }: KubernetesObject,
  { metadata: b }: KubernetesObject,
): number {
  return byCodeUnit(a.namespace ?? "", b.namespace ?? "") || byCodeUnit(a.name, b.name);
}

/** Returns `Kind/name` or `Kind/namespace/name`, the name of an object in messages and logs, without credentials. */
export function displayName({
  kind,
  namespace,
  name,
}: Pick<ObjectReference, "kind" | "namespace" | "name">): string {
  return [kind, namespace ?? "", name].filter(Boolean).map(redactForeign).join("/");
}

/** Returns the first of these objects that sets the annotation, with its value. */
export function firstAnnotated(
  objects: readonly KubernetesObject[],
  annotation: string,
): Readonly<{ object: KubernetesObject; value: string }> | undefined {
  for (const object of objects) {
    const value = ownValue(object.metadata.annotations, annotation);
    if (value !== undefined) return { object, value };
  }
  return undefined;
}

/** Returns the object without what servers note about who has set which field: often the larger part of its metadata. */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata }: ObjectMeta & Readonly<Record<string, unknown>> = object.metadata;
  return { ...object, metadata };
}

/** Returns the object with this value of an annotation. */
export function withAnnotation(object: KubernetesObject, name: string, value: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [name]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Returns the decoded text of a field of a Secret, which holds fields in base64; undefined without one. */
export function secretText(secret: KubernetesObject | undefined, field: string): string | undefined {
  const value = ownValue(fieldsOf(secret?.data), field);
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : undefined;
}

/** Formats a time as the Kubernetes API does: RFC 3339 in UTC, whole seconds. */
export function timestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
