import { expect, test } from "vitest";
import { traceLocations } from "./trace.ts";

const controlPlaneNamespace = "clusters-shop";

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
  const disabled = ["ImageRegistry", "Ingress"];
  const places = traceLocations({ disabled, platform, controlPlaneNamespace });
  const found = places.filter(({ name }) => name.endsWith("cloud-credentials"));
  expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(credentials);
  expect(places.some(({ name }) => name.includes("azure"))).toBe(platform === "Azure");
  expect(places.some(({ name }) => name === "deny-removed-managementstate")).toBe(platform === "Azure");
});

test("When a capability is disabled, the locations should be those of its objects and settings only", () => {
  const namesOf = (...disabled: readonly string[]) =>
    traceLocations({ disabled, platform: "Azure", controlPlaneNamespace }).map(({ kind, namespace, name }) =>
      [kind.kind, ...(namespace ? [namespace] : []), name].join("/"),
    );
  expect(namesOf()).toEqual([]);
  expect(namesOf("Console")).toEqual(["ClusterOperator/console"]);
  expect(namesOf("ImageRegistry")).toEqual([
    "Deployment/clusters-shop/cluster-image-registry-operator",
    "Secret/clusters-shop/cluster-image-registry-operator",
    "PodMonitor/clusters-shop/cluster-image-registry-operator",
    "ConfigMap/clusters-shop/image-registry-controller-config",
    "SecretProviderClass/clusters-shop/managed-azure-image-registry",
    "Secret/clusters-shop/azure-image-registry-credentials",
    "Config/cluster",
    "Secret/openshift-image-registry/installer-cloud-credentials",
    "ValidatingAdmissionPolicy/deny-removed-managementstate",
    "ClusterOperator/image-registry",
    "Namespace/openshift-image-registry",
    "PersistentVolumeClaim/openshift-image-registry/image-registry-storage",
    ...["openshift-controller-manager-config", "openshift-apiserver", "kas-config"].map(
      (name) => `ConfigMap/clusters-shop/${name}`,
    ),
  ]);
});
