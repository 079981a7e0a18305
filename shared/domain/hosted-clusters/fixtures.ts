import { takeOverAnnotation } from "../issues/annotations.ts";
import type { KubernetesObject, ObjectMeta } from "../kubernetes/object.ts";
import { type HostedCluster, readHostedCluster } from "./cluster/hosted-cluster.ts";

/* Hosted clusters for tests. */

export const payload = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi";

/** The capabilities of a hosted cluster of 4.20 whose HostedCluster chooses none. */
export const defaultCapabilities = [
  "Build",
  "CSISnapshot",
  "CloudControllerManager",
  "CloudCredential",
  "Console",
  "DeploymentConfig",
  "ImageRegistry",
  "Ingress",
  "Insights",
  "MachineAPI",
  "NodeTuning",
  "OperatorLifecycleManager",
  "OperatorLifecycleManagerV1",
  "Storage",
  "marketplace",
  "openshift-samples",
];

export type HostedClusterFields = Readonly<{
  name?: string;
  namespace?: string;
  metadata?: Partial<ObjectMeta>;
  annotations?: ObjectMeta["annotations"];
  spec?: Readonly<Record<string, unknown>>;
  status?: unknown;
}>;

/** Annotations of a HostedCluster for which HyperShift writes, not hubrelay. */
export const ofHypershift = { [takeOverAnnotation]: "false" };

/** A HostedCluster of OpenShift 4.20 that is handed over to hubrelay, unless it has HyperShift's finalizer. */
export function aHostedCluster({
  name = "shop",
  namespace = "clusters",
  metadata = {},
  annotations = metadata.annotations,
  spec = {},
  status,
}: HostedClusterFields = {}): KubernetesObject {
  const handedOver = metadata.finalizers?.length ? {} : { [takeOverAnnotation]: "true" };
  return {
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: { name, namespace, ...metadata, annotations: { ...handedOver, ...annotations } },
    spec: {
      release: { image: payload },
      pullSecret: { name: "pull" },
      olmCatalogPlacement: "management",
      capabilities: {},
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** Returns `aHostedCluster` as `readHostedCluster` reads it. */
export function aReadHostedCluster(fields?: HostedClusterFields): HostedCluster {
  return readHostedCluster(aHostedCluster(fields)).cluster;
}
