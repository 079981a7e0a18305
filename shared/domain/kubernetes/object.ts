/** The part of a Kubernetes owner reference that hubrelay reads and writes. */
export type OwnerReference = Readonly<{ apiVersion: string; kind: string; name: string; uid: string }>;

/** The metadata that hubrelay reads; every other field is carried along untouched. */
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

/** Any object of the Kubernetes API: its identity is known, its content (`spec`, `status`, …) is unknown. */
export type KubernetesObject = Readonly<{
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}>;

/**
 * Points at one object. `uid` and `resourceVersion` say which incarnation and version was seen; both are
 * absent where the sender does not know them (Knative's reference mode). `cluster` names the managed cluster that
 * is meant where the object is about many.
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

/** The reference to an object as it was read. */
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

/** `Kind/name` or `Kind/namespace/name`: how people and log lines name an object. */
export function displayName({
  kind,
  namespace,
  name,
}: Pick<ObjectReference, "kind" | "namespace" | "name">): string {
  return [kind, namespace, name].filter(Boolean).join("/");
}
