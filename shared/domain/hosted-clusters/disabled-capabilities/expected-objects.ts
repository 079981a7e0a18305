import { clusterKind, type Kind, kinds, namespacedKind } from "../../kubernetes/object.ts";

/** The API that has an object: the management cluster's (in the control plane's namespace) or the guest's. */
export type Where = "controlPlane" | "guest";

/** An object that must not exist without its capability. */
export type ExpectedObject = Readonly<{
  capability: string;
  where: Where;
  kind: Kind;
  /** Set for objects in the guest; other objects are in the control plane's namespace. */
  namespace?: string;
  name: string;
  /** The values of `spec.platform.type` with this object; absent: all platforms. */
  platforms?: readonly string[];
  /** Platforms on which HyperShift writes the object even if the capability is disabled. */
  alwaysWrittenOn?: readonly string[];
  /** True for data of users or their cloud: hubrelay reports it, and only its owners remove it. */
  isUserData?: boolean;
}>;

const rbac = "rbac.authorization.k8s.io/v1";
const monitoring = "monitoring.coreos.com/v1";

/** Kinds that are read only to find traces. */
export const traceKinds = {
  Deployment: namespacedKind("apps/v1", "Deployment"),
  ConfigMap: namespacedKind("v1", "ConfigMap"),
  Secret: namespacedKind("v1", "Secret"),
  Service: namespacedKind("v1", "Service"),
  ServiceAccount: namespacedKind("v1", "ServiceAccount"),
  PersistentVolumeClaim: namespacedKind("v1", "PersistentVolumeClaim"),
  Namespace: clusterKind("v1", "Namespace"),
  Role: namespacedKind(rbac, "Role"),
  RoleBinding: namespacedKind(rbac, "RoleBinding"),
  ClusterRole: clusterKind(rbac, "ClusterRole"),
  ClusterRoleBinding: clusterKind(rbac, "ClusterRoleBinding"),
  PodMonitor: namespacedKind(monitoring, "PodMonitor"),
  ServiceMonitor: namespacedKind(monitoring, "ServiceMonitor"),
  SecretProviderClass: namespacedKind("secrets-store.csi.x-k8s.io/v1", "SecretProviderClass"),
  ValidatingAdmissionPolicy: kinds.ValidatingAdmissionPolicy,
  IngressController: namespacedKind("operator.openshift.io/v1", "IngressController"),
  RegistryConfig: clusterKind("imageregistry.operator.openshift.io/v1", "Config"),
  ClusterOperator: clusterKind("config.openshift.io/v1", "ClusterOperator"),
} as const satisfies Record<string, Kind>;

type Row = Omit<ExpectedObject, "capability" | "where">;
const of =
  (capability: string, where: Where) =>
  (...rows: readonly Row[]): readonly ExpectedObject[] =>
    rows.map((row) => ({ capability, where, ...row }));

const registryCredentials = ["AWS", "Azure", "GCP", "OpenStack", "PowerVS"];
const ingressCredentials = ["AWS", "Azure", "PowerVS"];
const controllerManager = "openshift-route-controller-manager";
const ingressToRoute = "system:openshift:openshift-controller-manager:ingress-to-route-controller";

/**
 * The objects of each capability in control plane and guest. Source: github.com/openshift/hypershift v0.1.81,
 * everything that its operators create or omit by `Is…CapabilityEnabled`; ClusterOperators, the registry's
 * namespace and its volume claim come with manifests that the cluster-version operator itself omits.
 */
export const expectedObjects: readonly ExpectedObject[] = [
  ...of("ImageRegistry", "controlPlane")(
    { kind: traceKinds.Deployment, name: "cluster-image-registry-operator" },
    { kind: traceKinds.Secret, name: "cluster-image-registry-operator" },
    { kind: traceKinds.PodMonitor, name: "cluster-image-registry-operator" },
    { kind: traceKinds.ConfigMap, name: "image-registry-controller-config" },
    { kind: traceKinds.SecretProviderClass, name: "managed-azure-image-registry", platforms: ["Azure"] },
    { kind: traceKinds.Secret, name: "azure-image-registry-credentials", platforms: ["Azure"] },
  ),
  ...of("ImageRegistry", "guest")(
    { kind: traceKinds.RegistryConfig, name: "cluster" },
    {
      kind: traceKinds.Secret,
      namespace: "openshift-image-registry",
      name: "installer-cloud-credentials",
      platforms: registryCredentials,
      alwaysWrittenOn: ["OpenStack"],
    },
    {
      kind: traceKinds.ValidatingAdmissionPolicy,
      name: "deny-removed-managementstate",
      platforms: ["Azure"],
    },
    { kind: traceKinds.ClusterOperator, name: "image-registry" },
    { kind: traceKinds.Namespace, name: "openshift-image-registry" },
    {
      kind: traceKinds.PersistentVolumeClaim,
      namespace: "openshift-image-registry",
      name: "image-registry-storage",
      isUserData: true,
    },
  ),
  ...of("Ingress", "controlPlane")(
    { kind: traceKinds.Deployment, name: "ingress-operator" },
    { kind: traceKinds.Secret, name: "ingress-crt" },
    { kind: traceKinds.PodMonitor, name: "ingress-operator" },
    { kind: traceKinds.ConfigMap, name: "observed-default-ingress-cert" },
    { kind: traceKinds.SecretProviderClass, name: "managed-azure-ingress", platforms: ["Azure"] },
    { kind: traceKinds.Secret, name: "azure-ingress-credentials", platforms: ["Azure"] },
  ),
  ...of("Ingress", "guest")(
    {
      kind: traceKinds.IngressController,
      namespace: "openshift-ingress-operator",
      name: "default",
    },
    { kind: traceKinds.Namespace, name: "openshift-ingress" },
    {
      kind: traceKinds.Secret,
      namespace: "openshift-ingress",
      name: "default-ingress-cert",
    },
    { kind: traceKinds.ClusterRole, name: ingressToRoute },
    { kind: traceKinds.ClusterRoleBinding, name: ingressToRoute },
    {
      kind: traceKinds.Role,
      namespace: controllerManager,
      name: "openshift-route-controllers",
    },
    {
      kind: traceKinds.RoleBinding,
      namespace: controllerManager,
      name: "openshift-route-controllers",
    },
    {
      kind: traceKinds.Secret,
      namespace: "openshift-ingress-operator",
      name: "cloud-credentials",
      platforms: ingressCredentials,
    },
    { kind: traceKinds.ClusterOperator, name: "ingress" },
  ),
  ...of("NodeTuning", "controlPlane")(
    { kind: traceKinds.Deployment, name: "cluster-node-tuning-operator" },
    { kind: traceKinds.Secret, name: "node-tuning-operator-tls" },
    { kind: traceKinds.ServiceAccount, name: "cluster-node-tuning-operator" },
    { kind: traceKinds.Role, name: "cluster-node-tuning-operator" },
    { kind: traceKinds.RoleBinding, name: "cluster-node-tuning-operator" },
    { kind: traceKinds.Service, name: "node-tuning-operator" },
    { kind: traceKinds.ServiceMonitor, name: "node-tuning-operator" },
  ),
  ...of("NodeTuning", "guest")({ kind: traceKinds.ClusterOperator, name: "node-tuning" }),
  ...of("Console", "guest")({ kind: traceKinds.ClusterOperator, name: "console" }),
  ...of("Insights", "guest")({ kind: traceKinds.ClusterOperator, name: "insights" }),
  ...of("openshift-samples", "guest")({ kind: traceKinds.ClusterOperator, name: "openshift-samples" }),
];

/** Reports whether clusters on this platform have the object. */
export function isOn(platform: string, { platforms }: ExpectedObject): boolean {
  return platforms?.includes(platform) ?? true;
}
