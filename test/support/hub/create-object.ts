import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** Returns the object as a client sends it on creation: without the fields that the server sets. */
export function asNew(object: KubernetesObject): KubernetesObject {
  const { uid: _uid, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Creates the object, and writes its status as its controller would. */
export async function createObject(hub: Hub, object: KubernetesObject): Promise<KubernetesObject> {
  const stored = await hub.create(asNew(object));
  return object.status === undefined ? stored : hub.updateStatus({ ...stored, status: object.status });
}
