import { clusterKind, type Kind, kinds, namespacedKind } from "../../kubernetes/object.ts";

/** Where an object is: in the control plane's namespace of the management cluster, or in the guest. */
export type Where = "controlPlane" | "guest";

/** An object that exists only in a cluster with an image registry. */
export type ExpectedObject = Readonly<{
  where: Where;
  kind: Kind;
  /** The namespace in the guest. Absent for cluster-scoped objects and for objects of the control plane. */
  namespace?: string;
  name: string;
  /** The values of `spec.platform.type` for which the object exists; absent if it exists on all platforms. */
  platforms?: readonly string[];
  /** True for data of users or of their cloud. hubrelay only reports such data: its owners decide about it. */
  isUserData?: boolean;
}>;

/** The kinds of objects that may remain after the registry is disabled. */
export const traceKinds = {
  Deployment: namespacedKind("apps/v1", "Deployment"),
  ConfigMap: namespacedKind("v1", "ConfigMap"),
  Secret: namespacedKind("v1", "Secret"),
  ServiceAccount: namespacedKind("v1", "ServiceAccount"),
  PersistentVolumeClaim: namespacedKind("v1", "PersistentVolumeClaim"),
  Namespace: clusterKind("v1", "Namespace"),
  PodMonitor: namespacedKind("monitoring.coreos.com/v1", "PodMonitor"),
  SecretProviderClass: namespacedKind("secrets-store.csi.x-k8s.io/v1", "SecretProviderClass"),
  ValidatingAdmissionPolicy: kinds.ValidatingAdmissionPolicy,
  RegistryConfig: clusterKind("imageregistry.operator.openshift.io/v1", "Config"),
  ClusterOperator: clusterKind("config.openshift.io/v1", "ClusterOperator"),
} as const satisfies Record<string, Kind>;

const operator = "cluster-image-registry-operator";
const registryNamespace = "openshift-image-registry";

/**
 * All objects that exist only in a cluster with an image registry.
 * Source: `IsImageRegistryCapabilityEnabled` in hypershift v0.1.81, and manifests of the cluster-version operator.
 */
export const expectedObjects: readonly ExpectedObject[] = [
  { where: "controlPlane", kind: traceKinds.Deployment, name: operator },
  { where: "controlPlane", kind: traceKinds.Secret, name: operator },
  { where: "controlPlane", kind: traceKinds.PodMonitor, name: operator },
  { where: "controlPlane", kind: traceKinds.ConfigMap, name: "image-registry-controller-config" },
  {
    where: "controlPlane",
    kind: traceKinds.SecretProviderClass,
    name: "managed-azure-image-registry",
    platforms: ["Azure"],
  },
  {
    where: "controlPlane",
    kind: traceKinds.Secret,
    name: "azure-image-registry-credentials",
    platforms: ["Azure"],
  },
  { where: "guest", kind: traceKinds.RegistryConfig, name: "cluster" },
  {
    where: "guest",
    kind: traceKinds.Secret,
    namespace: registryNamespace,
    name: "installer-cloud-credentials",
    // On OpenStack, HyperShift writes this Secret even without the registry.
    platforms: ["AWS", "Azure", "GCP", "PowerVS"],
  },
  {
    where: "guest",
    kind: traceKinds.ValidatingAdmissionPolicy,
    name: "deny-removed-managementstate",
    platforms: ["Azure"],
  },
  { where: "guest", kind: traceKinds.ClusterOperator, name: "image-registry" },
  { where: "guest", kind: traceKinds.Namespace, name: registryNamespace },
  {
    where: "guest",
    kind: traceKinds.PersistentVolumeClaim,
    namespace: registryNamespace,
    name: "image-registry-storage",
    isUserData: true,
  },
];

/** Reports whether clusters on this platform have the object. */
export function isOn(platform: string, { platforms }: ExpectedObject): boolean {
  return platforms?.includes(platform) ?? true;
}
