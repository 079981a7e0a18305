import { isKind, type Kind } from "#shared/domain/kubernetes/kinds.ts";
import {
  byNamespaceAndName,
  type KubernetesObject,
  namespacedName,
} from "#shared/domain/kubernetes/object.ts";
import type { HubReader, ListOptions } from "#shared/ports/hub.ts";

function isListed(
  { metadata }: KubernetesObject,
  { namespace, labels = {}, withLabel, name }: ListOptions,
): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  if (withLabel !== undefined && metadata.labels?.[withLabel] === undefined) return false;
  if (name !== undefined && metadata.name !== name) return false;
  return Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);
}

/** Serves manifests as a read-only hub; of two objects with the same name, the last counts. */
export function manifestHub(id: string, objects: readonly KubernetesObject[]): HubReader {
  const ofKind = (kind: Kind) => {
    const found = objects.filter((object) => isKind(kind, object));
    return [...new Map(found.map((object) => [namespacedName(object.metadata), object])).values()];
  };
  return {
    id,
    async get(kind, name, namespace) {
      const wanted = kind.namespaced ? namespace : undefined;
      return ofKind(kind).find(({ metadata }) => metadata.name === name && metadata.namespace === wanted);
    },
    async list(kind, { keep = (object: KubernetesObject) => object, ...options } = {}) {
      return ofKind(kind)
        .filter((object) => isListed(object, options))
        .sort(byNamespaceAndName)
        .map(keep);
    },
  };
}
