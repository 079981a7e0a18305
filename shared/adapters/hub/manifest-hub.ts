import {
  byNamespaceAndName,
  isKind,
  type Kind,
  type KubernetesObject,
  namespacedName,
} from "../../domain/kubernetes/object.ts";
import type { HubReader } from "../../ports/hub.ts";
import { selection } from "./semantics/hub-on-store.ts";

/** Returns a read-only hub with these objects. If two objects have the same identity, the hub has only the last one. */
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
      return ofKind(kind).filter(selection(options)).sort(byNamespaceAndName).map(keep);
    },
  };
}
