import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/** The object as somebody sends it who creates it: without what the server sets. */
export function asNew(object: KubernetesObject): KubernetesObject {
  const { uid: _uid, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}
