import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/** Returns the object as a client sends it on creation: without the fields that the server sets. */
export function asNew(object: KubernetesObject): KubernetesObject {
  const { uid: _uid, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}
