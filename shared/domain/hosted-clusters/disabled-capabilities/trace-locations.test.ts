import { expect, test } from "vitest";
import { findTraces } from "./find-traces.ts";
import type { TraceLocation } from "./trace.ts";
import { traceLocations } from "./trace-locations.ts";

const controlPlaneNamespace = "clusters-shop";

/** The kind, and the object's path at its API server. */
function request({ kind, namespace, name }: TraceLocation): string {
  const group = kind.apiVersion.includes("/") ? `apis/${kind.apiVersion}` : `api/${kind.apiVersion}`;
  const within = namespace === undefined ? "" : `namespaces/${namespace}/`;
  return `${kind.kind} /${group}/${within}${kind.plural}/${name}`;
}

const inControlPlane = (api: string, plural: string, name: string) =>
  `/${api}/namespaces/clusters-shop/${plural}/${name}`;
const deployment = (name: string) => `Deployment ${inControlPlane("apis/apps/v1", "deployments", name)}`;
const secret = (name: string) => `Secret ${inControlPlane("api/v1", "secrets", name)}`;
const configMap = (name: string) => `ConfigMap ${inControlPlane("api/v1", "configmaps", name)}`;
const podMonitor = (name: string) =>
  `PodMonitor ${inControlPlane("apis/monitoring.coreos.com/v1", "podmonitors", name)}`;
const secretProvider = (name: string) =>
  `SecretProviderClass ${inControlPlane("apis/secrets-store.csi.x-k8s.io/v1", "secretproviderclasses", name)}`;
const rbac = "apis/rbac.authorization.k8s.io/v1";
const policies = "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const clusterOperator = (name: string) =>
  `ClusterOperator /apis/config.openshift.io/v1/clusteroperators/${name}`;
const toRoute = "system:openshift:openshift-controller-manager:ingress-to-route-controller";
const ofController = (plural: string) =>
  `/${rbac}/namespaces/openshift-route-controller-manager/${plural}/openshift-route-controllers`;

test.for<{ capability: string; controlPlane: readonly string[]; guest: readonly string[] }>([
  {
    capability: "ImageRegistry",
    controlPlane: [
      deployment("cluster-image-registry-operator"),
      secret("cluster-image-registry-operator"),
      podMonitor("cluster-image-registry-operator"),
      configMap("image-registry-controller-config"),
      secretProvider("managed-azure-image-registry"),
      secret("azure-image-registry-credentials"),
      configMap("openshift-controller-manager-config"),
      configMap("openshift-apiserver"),
      configMap("kas-config"),
    ],
    guest: [
      "Config /apis/imageregistry.operator.openshift.io/v1/configs/cluster",
      "Secret /api/v1/namespaces/openshift-image-registry/secrets/installer-cloud-credentials",
      `ValidatingAdmissionPolicy /${policies}/deny-removed-managementstate`,
      clusterOperator("image-registry"),
      "Namespace /api/v1/namespaces/openshift-image-registry",
      "PersistentVolumeClaim /api/v1/namespaces/openshift-image-registry/persistentvolumeclaims/image-registry-storage",
    ],
  },
  {
    capability: "Ingress",
    controlPlane: [
      deployment("ingress-operator"),
      secret("ingress-crt"),
      podMonitor("ingress-operator"),
      configMap("observed-default-ingress-cert"),
      secretProvider("managed-azure-ingress"),
      secret("azure-ingress-credentials"),
      configMap("root-ca"),
    ],
    guest: [
      "IngressController /apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default",
      "Namespace /api/v1/namespaces/openshift-ingress",
      "Secret /api/v1/namespaces/openshift-ingress/secrets/default-ingress-cert",
      `ClusterRole /${rbac}/clusterroles/${toRoute}`,
      `ClusterRoleBinding /${rbac}/clusterrolebindings/${toRoute}`,
      `Role ${ofController("roles")}`,
      `RoleBinding ${ofController("rolebindings")}`,
      "Secret /api/v1/namespaces/openshift-ingress-operator/secrets/cloud-credentials",
      clusterOperator("ingress"),
      `ValidatingAdmissionPolicy /${policies}/config`,
    ],
  },
  {
    capability: "NodeTuning",
    controlPlane: [
      deployment("cluster-node-tuning-operator"),
      secret("node-tuning-operator-tls"),
      `ServiceAccount ${inControlPlane("api/v1", "serviceaccounts", "cluster-node-tuning-operator")}`,
      `Role ${inControlPlane(rbac, "roles", "cluster-node-tuning-operator")}`,
      `RoleBinding ${inControlPlane(rbac, "rolebindings", "cluster-node-tuning-operator")}`,
      `Service ${inControlPlane("api/v1", "services", "node-tuning-operator")}`,
      `ServiceMonitor ${inControlPlane("apis/monitoring.coreos.com/v1", "servicemonitors", "node-tuning-operator")}`,
    ],
    guest: [clusterOperator("node-tuning")],
  },
  { capability: "Console", controlPlane: [], guest: [clusterOperator("console")] },
  { capability: "Insights", controlPlane: [], guest: [clusterOperator("insights")] },
  { capability: "openshift-samples", controlPlane: [], guest: [clusterOperator("openshift-samples")] },
])("When $capability is selected on Azure, it should return all of its objects there", (one) => {
  const places = traceLocations(
    { platform: "Azure", controlPlaneNamespace },
    { isSelected: (capability) => capability === one.capability },
  );
  const requests = (where: TraceLocation["where"]) =>
    places.filter((place) => place.where === where).map(request);
  expect(requests("controlPlane")).toEqual(one.controlPlane);
  expect(requests("guest")).toEqual(one.guest);
});

const ofRegistry = "openshift-image-registry/installer-cloud-credentials";
const ofIngress = "openshift-ingress-operator/cloud-credentials";

test.for([
  { platform: "AWS", credentials: [ofRegistry, ofIngress] },
  { platform: "Azure", credentials: [ofRegistry, ofIngress] },
  { platform: "PowerVS", credentials: [ofRegistry, ofIngress] },
  { platform: "GCP", credentials: [ofRegistry] },
  { platform: "OpenStack", credentials: [ofRegistry] },
  { platform: "KubeVirt", credentials: [] },
  { platform: "IBMCloud", credentials: [] },
  { platform: "", credentials: [] },
])("When the platform is $platform, it should return $credentials", ({ platform, credentials }) => {
  const places = traceLocations({ platform, controlPlaneNamespace });
  const found = places.filter(({ name }) => name.endsWith("cloud-credentials"));
  expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(credentials);
  expect(places.some(({ name }) => name.includes("azure"))).toBe(platform === "Azure");
  expect(places.some(({ name }) => name === "deny-removed-managementstate")).toBe(platform === "Azure");
});

test("When a cluster on Azure has nothing, it should report all required objects, and no optional ones", () => {
  const found = findTraces({
    disabled: [],
    platform: "Azure",
    controlPlaneNamespace,
    controlPlane: [],
    guest: [],
  });
  expect(found.map(({ capability, what }) => `${capability} ${what}`)).toEqual([
    "ImageRegistry Deployment/clusters-shop/cluster-image-registry-operator",
    "ImageRegistry Secret/clusters-shop/cluster-image-registry-operator",
    "ImageRegistry Config/cluster",
    "ImageRegistry Secret/openshift-image-registry/installer-cloud-credentials",
    "ImageRegistry ValidatingAdmissionPolicy/deny-removed-managementstate",
    "Ingress Deployment/clusters-shop/ingress-operator",
    "Ingress Secret/clusters-shop/ingress-crt",
    "Ingress IngressController/openshift-ingress-operator/default",
    "Ingress Namespace/openshift-ingress",
    "Ingress Secret/openshift-ingress/default-ingress-cert",
    `Ingress ClusterRole/${toRoute}`,
    `Ingress ClusterRoleBinding/${toRoute}`,
    "Ingress Role/openshift-route-controller-manager/openshift-route-controllers",
    "Ingress RoleBinding/openshift-route-controller-manager/openshift-route-controllers",
    "Ingress Secret/openshift-ingress-operator/cloud-credentials",
    "NodeTuning Deployment/clusters-shop/cluster-node-tuning-operator",
    "NodeTuning Secret/clusters-shop/node-tuning-operator-tls",
    "NodeTuning ServiceAccount/clusters-shop/cluster-node-tuning-operator",
    "NodeTuning Role/clusters-shop/cluster-node-tuning-operator",
    "NodeTuning RoleBinding/clusters-shop/cluster-node-tuning-operator",
    "NodeTuning Service/clusters-shop/node-tuning-operator",
  ]);
});

test("When only missing objects are requested, it should return only what can be missing", () => {
  const places = (onlyMissing: boolean) =>
    traceLocations({ platform: "Azure", controlPlaneNamespace }, { hasLeftovers: () => !onlyMissing }).map(
      request,
    );
  const spared = places(false).filter((one) => !places(true).includes(one));
  expect(spared).toEqual([
    podMonitor("cluster-image-registry-operator"),
    configMap("image-registry-controller-config"),
    secretProvider("managed-azure-image-registry"),
    secret("azure-image-registry-credentials"),
    clusterOperator("image-registry"),
    "Namespace /api/v1/namespaces/openshift-image-registry",
    "PersistentVolumeClaim /api/v1/namespaces/openshift-image-registry/persistentvolumeclaims/image-registry-storage",
    podMonitor("ingress-operator"),
    secretProvider("managed-azure-ingress"),
    secret("azure-ingress-credentials"),
    clusterOperator("ingress"),
    `ServiceMonitor ${inControlPlane("apis/monitoring.coreos.com/v1", "servicemonitors", "node-tuning-operator")}`,
    clusterOperator("node-tuning"),
    clusterOperator("console"),
    clusterOperator("insights"),
    clusterOperator("openshift-samples"),
  ]);
});

test("When all locations are requested, it should return every object of the platform once, in its namespace", () => {
  const places = traceLocations({ platform: "AWS", controlPlaneNamespace });
  const names = places.map(
    ({ where, kind, namespace, name }) => `${where} ${kind.kind} ${namespace ?? ""} ${name}`,
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("controlPlane ConfigMap clusters-shop kas-config");
  expect(names).toContain("guest Secret openshift-image-registry installer-cloud-credentials");
  expect(names).toContain("guest Config  cluster");
  expect(names.filter((name) => name.includes("azure"))).toEqual([]);
  expect(traceLocations({ platform: "Azure", controlPlaneNamespace }).length).toBeGreaterThan(places.length);
});

test("When only missing objects are requested, it should leave out optional objects", () => {
  const places = traceLocations({ platform: "AWS", controlPlaneNamespace }, { hasLeftovers: () => false });
  const names = places.map(({ kind, name }) => `${kind.kind} ${name}`);
  expect(names).toContain("Deployment ingress-operator");
  expect(names).toContain("ConfigMap kas-config");
  expect(names).not.toContain("PodMonitor ingress-operator");
  expect(names).not.toContain("PersistentVolumeClaim image-registry-storage");
});

test("When one capability is disabled, it should return the optional objects of that one only", () => {
  const hasLeftovers = (capability: string) => capability === "Ingress";
  const places = traceLocations({ platform: "AWS", controlPlaneNamespace }, { hasLeftovers });
  const names = places.map(({ kind, name }) => `${kind.kind} ${name}`);
  expect(names).toContain("PodMonitor ingress-operator");
  expect(names).toContain("Deployment cluster-image-registry-operator");
  expect(names).not.toContain("PodMonitor cluster-image-registry-operator");
});

test("When one capability is requested, it should return only its locations", () => {
  const places = traceLocations(
    { platform: "AWS", controlPlaneNamespace },
    { isSelected: (name) => name === "Console" },
  );
  expect(places.map(({ kind, name }) => `${kind.kind} ${name}`)).toEqual(["ClusterOperator console"]);
});
