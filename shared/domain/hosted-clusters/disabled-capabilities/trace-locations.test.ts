import { expect, test } from "vitest";
import { traceLocations } from "./trace.ts";

const controlPlaneNamespace = "clusters-shop";

test.for([
  { platform: "AWS", hasCredentials: true },
  { platform: "Azure", hasCredentials: true },
  { platform: "PowerVS", hasCredentials: true },
  { platform: "GCP", hasCredentials: true },
  { platform: "OpenStack", hasCredentials: false },
  { platform: "", hasCredentials: false },
])("When the platform is $platform, it should return credentials: $hasCredentials", (row) => {
  const places = traceLocations({ isDisabled: true, platform: row.platform, controlPlaneNamespace });
  expect(places.some(({ name }) => name === "installer-cloud-credentials")).toBe(row.hasCredentials);
  const ofAzure = places.filter(({ name }) => /azure|deny-removed-managementstate/.test(name));
  expect(ofAzure).toHaveLength(row.platform === "Azure" ? 3 : 0);
});

test("When the registry is disabled, the locations should be those of its objects and settings", () => {
  const namesOf = (isDisabled: boolean) =>
    traceLocations({ isDisabled, platform: "Azure", controlPlaneNamespace }).map(
      ({ kind, namespace, name }) => [kind.kind, ...(namespace ? [namespace] : []), name].join("/"),
    );
  expect(namesOf(false)).toEqual([]);
  expect(namesOf(true)).toEqual([
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
