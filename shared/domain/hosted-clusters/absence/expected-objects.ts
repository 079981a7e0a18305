import { type Kind, kinds } from "../../kubernetes/kinds.ts";

/** Whose API an object is in: the management cluster's, in the namespace of the control plane, or the guest's. */
export type Where = "controlPlane" | "guest";

/** An object that is there because of a capability, and must not be there without it. */
export type ExpectedObject = Readonly<{
  capability: string;
  where: Where;
  kind: Kind;
  /** In the guest; an object of the control plane is in the control plane's namespace. */
  namespace?: string;
  name: string;
  /** `spec.platform.type` of the clusters that have it; absent: all. */
  platforms?: readonly string[];
  /** With the capability it must be there; others come and go for reasons of their own. */
  isRequired?: boolean;
  /** Platforms on which HyperShift writes it whatever the capability says. */
  forgottenOn?: readonly string[];
  /** Belongs to the cluster's users or their cloud: it is told, and never removed by anybody but them. */
  isUserData?: boolean;
}>;

const namespaced = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});
const clusterWide = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: false,
});

const rbac = "rbac.authorization.k8s.io/v1";
const monitoring = "monitoring.coreos.com/v1";

/** Kinds that are looked at here and nowhere else. */
export const lookedAt = {
  Deployment: namespaced("apps/v1", "Deployment", "deployments"),
  ConfigMap: namespaced("v1", "ConfigMap", "configmaps"),
  Secret: namespaced("v1", "Secret", "secrets"),
  Service: namespaced("v1", "Service", "services"),
  ServiceAccount: namespaced("v1", "ServiceAccount", "serviceaccounts"),
  PersistentVolumeClaim: namespaced("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  Namespace: clusterWide("v1", "Namespace", "namespaces"),
  Role: namespaced(rbac, "Role", "roles"),
  RoleBinding: namespaced(rbac, "RoleBinding", "rolebindings"),
  ClusterRole: clusterWide(rbac, "ClusterRole", "clusterroles"),
  ClusterRoleBinding: clusterWide(rbac, "ClusterRoleBinding", "clusterrolebindings"),
  PodMonitor: namespaced(monitoring, "PodMonitor", "podmonitors"),
  ServiceMonitor: namespaced(monitoring, "ServiceMonitor", "servicemonitors"),
  SecretProviderClass: namespaced(
    "secrets-store.csi.x-k8s.io/v1",
    "SecretProviderClass",
    "secretproviderclasses",
  ),
  ValidatingAdmissionPolicy: kinds.ValidatingAdmissionPolicy,
  IngressController: namespaced("operator.openshift.io/v1", "IngressController", "ingresscontrollers"),
  RegistryConfig: clusterWide("imageregistry.operator.openshift.io/v1", "Config", "configs"),
  ClusterOperator: clusterWide("config.openshift.io/v1", "ClusterOperator", "clusteroperators"),
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
 * What control plane and guest have of each capability. Source: github.com/openshift/hypershift v0.1.81, everything
 * that its operators make or leave out by `Is…CapabilityEnabled`; ClusterOperators, the registry's namespace and its
 * volume claim come with manifests that the cluster-version operator leaves out by itself.
 */
export const expectedObjects: readonly ExpectedObject[] = [
  ...of("ImageRegistry", "controlPlane")(
    { kind: lookedAt.Deployment, name: "cluster-image-registry-operator", isRequired: true },
    { kind: lookedAt.Secret, name: "cluster-image-registry-operator", isRequired: true },
    { kind: lookedAt.PodMonitor, name: "cluster-image-registry-operator" },
    { kind: lookedAt.ConfigMap, name: "image-registry-controller-config" },
    { kind: lookedAt.SecretProviderClass, name: "managed-azure-image-registry", platforms: ["Azure"] },
    { kind: lookedAt.Secret, name: "azure-image-registry-credentials", platforms: ["Azure"] },
  ),
  ...of("ImageRegistry", "guest")(
    { kind: lookedAt.RegistryConfig, name: "cluster", isRequired: true },
    {
      kind: lookedAt.Secret,
      namespace: "openshift-image-registry",
      name: "installer-cloud-credentials",
      platforms: registryCredentials,
      isRequired: true,
      forgottenOn: ["OpenStack"],
    },
    {
      kind: lookedAt.ValidatingAdmissionPolicy,
      name: "deny-removed-managementstate",
      platforms: ["Azure"],
      isRequired: true,
    },
    { kind: lookedAt.ClusterOperator, name: "image-registry" },
    { kind: lookedAt.Namespace, name: "openshift-image-registry" },
    {
      kind: lookedAt.PersistentVolumeClaim,
      namespace: "openshift-image-registry",
      name: "image-registry-storage",
      isUserData: true,
    },
  ),
  ...of("Ingress", "controlPlane")(
    { kind: lookedAt.Deployment, name: "ingress-operator", isRequired: true },
    { kind: lookedAt.Secret, name: "ingress-crt", isRequired: true },
    { kind: lookedAt.PodMonitor, name: "ingress-operator" },
    { kind: lookedAt.ConfigMap, name: "observed-default-ingress-cert" },
    { kind: lookedAt.SecretProviderClass, name: "managed-azure-ingress", platforms: ["Azure"] },
    { kind: lookedAt.Secret, name: "azure-ingress-credentials", platforms: ["Azure"] },
  ),
  ...of("Ingress", "guest")(
    {
      kind: lookedAt.IngressController,
      namespace: "openshift-ingress-operator",
      name: "default",
      isRequired: true,
    },
    { kind: lookedAt.Namespace, name: "openshift-ingress", isRequired: true },
    { kind: lookedAt.Secret, namespace: "openshift-ingress", name: "default-ingress-cert", isRequired: true },
    { kind: lookedAt.ClusterRole, name: ingressToRoute, isRequired: true },
    { kind: lookedAt.ClusterRoleBinding, name: ingressToRoute, isRequired: true },
    {
      kind: lookedAt.Role,
      namespace: controllerManager,
      name: "openshift-route-controllers",
      isRequired: true,
    },
    {
      kind: lookedAt.RoleBinding,
      namespace: controllerManager,
      name: "openshift-route-controllers",
      isRequired: true,
    },
    {
      kind: lookedAt.Secret,
      namespace: "openshift-ingress-operator",
      name: "cloud-credentials",
      platforms: ingressCredentials,
      isRequired: true,
    },
    { kind: lookedAt.ClusterOperator, name: "ingress" },
  ),
  ...of("NodeTuning", "controlPlane")(
    { kind: lookedAt.Deployment, name: "cluster-node-tuning-operator", isRequired: true },
    { kind: lookedAt.Secret, name: "node-tuning-operator-tls", isRequired: true },
    { kind: lookedAt.ServiceAccount, name: "cluster-node-tuning-operator", isRequired: true },
    { kind: lookedAt.Role, name: "cluster-node-tuning-operator", isRequired: true },
    { kind: lookedAt.RoleBinding, name: "cluster-node-tuning-operator", isRequired: true },
    { kind: lookedAt.Service, name: "node-tuning-operator", isRequired: true },
    { kind: lookedAt.ServiceMonitor, name: "node-tuning-operator" },
  ),
  ...of("NodeTuning", "guest")({ kind: lookedAt.ClusterOperator, name: "node-tuning" }),
  ...of("Console", "guest")({ kind: lookedAt.ClusterOperator, name: "console" }),
  ...of("Insights", "guest")({ kind: lookedAt.ClusterOperator, name: "insights" }),
  ...of("openshift-samples", "guest")({ kind: lookedAt.ClusterOperator, name: "openshift-samples" }),
];

/** True when clusters on this platform have the object. */
export function isOn(platform: string, { platforms }: ExpectedObject): boolean {
  return platforms?.includes(platform) ?? true;
}
