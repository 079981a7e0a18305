import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, withoutManagedFields } from "#shared/domain/kubernetes/object.ts";

/** Returns the metadata of an object, which is compared. */
function listedMetadata({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  return withoutManagedFields({ apiVersion, kind, metadata });
}

/** Returns the part of a HostedCluster that the function's decisions depend on. */
function listedCluster(object: KubernetesObject): KubernetesObject {
  const { version, controlPlaneVersion } = fieldsOf(object.status);
  return { ...listedMetadata(object), spec: object.spec, status: { version, controlPlaneVersion } };
}

/** Returns the part of a NodePool that says whose it is, and whether it has changed. */
function listedNodePool(object: KubernetesObject): KubernetesObject {
  const { clusterName } = fieldsOf(object.spec);
  return { ...listedMetadata(object), spec: { clusterName } };
}

/** Returns the part of an Event that records what a decision was derived from, or says until when it lasts. */
function listedEvent(object: KubernetesObject): KubernetesObject {
  const { involvedObject, reason, message, lastTimestamp } = object;
  return { ...listedMetadata(object), involvedObject, reason, message, lastTimestamp };
}

/**
 * What is kept of the objects in lists of all hosted clusters: what is compared. A hub has thousands of them, and most of
 * each is managed fields and status.
 */
export const listed = {
  metadata: listedMetadata,
  cluster: listedCluster,
  nodePool: listedNodePool,
  event: listedEvent,
};
