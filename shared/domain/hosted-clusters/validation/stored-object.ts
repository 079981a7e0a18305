import type { KubernetesObject } from "../../kubernetes/object.ts";

const groupOf = (apiVersion: string) => apiVersion.slice(0, apiVersion.lastIndexOf("/"));

/** Clients use this namespace if a manifest has none. */
const namespaceOf = ({ metadata }: KubernetesObject) => metadata.namespace ?? "default";

/** Returns the stored object that the object replaces: of the same kind, namespace and name. */
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
