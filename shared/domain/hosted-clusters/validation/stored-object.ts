import type { KubernetesObject } from "../../kubernetes/object.ts";

const groupOf = (apiVersion: string) => apiVersion.slice(0, apiVersion.lastIndexOf("/"));

/** The namespace that a client takes where a manifest names none. */
const namespaceOf = ({ metadata }: KubernetesObject) => metadata.namespace ?? "default";

/** The one among `stored` that the object takes the place of: of its kind, namespace and name. */
export function findStored(
  object: KubernetesObject,
  stored: readonly KubernetesObject[],
): KubernetesObject | undefined {
  return stored.find(
    (other) =>
      other.kind === object.kind &&
      groupOf(other.apiVersion) === groupOf(object.apiVersion) &&
      other.metadata.name === object.metadata.name &&
      namespaceOf(other) === namespaceOf(object),
  );
}
