import { expect, test } from "vitest";
import { findTraces } from "./find-traces.ts";
import { traceLocations } from "./trace.ts";

const controlPlaneNamespace = "clusters-shop";

const toRoute = "system:openshift:openshift-controller-manager:ingress-to-route-controller";

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
