import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { expectedObjects, lookedAt } from "./expected-objects.ts";
import { findTraces } from "./find-traces.ts";
import {
  anAccount,
  anObject,
  aWholeCluster,
  config,
  configs,
  controlPlaneNamespace,
  credentials,
  host,
  inGuest,
  isDeployment,
  off,
  registryConfig,
  registryOff,
  whole,
} from "./fixtures.ts";
import type { Place } from "./trace.ts";
import { traceLocations } from "./trace-locations.ts";

const capabilities = ["ImageRegistry", "Ingress", "NodeTuning", "Console", "Insights", "openshift-samples"];
const platforms = ["AWS", "Azure", "GCP", "OpenStack", "PowerVS", "KubeVirt", "Agent", "IBMCloud", "None"];

test.for(platforms)("When a cluster on %s has all that it is to have, it should tell nothing", (platform) => {
  expect(findTraces(aWholeCluster(platform))).toEqual([]);
  expect(findTraces(aWholeCluster(platform, capabilities))).toEqual([]);
});

test.for(platforms)(
  "When a cluster on %s is without a capability, it should tell all that is left of it",
  (platform) => {
    for (const capability of capabilities) {
      const traces = { ...aWholeCluster(platform), disabled: [capability] };
      const expected = expectedObjects.filter(
        (one) =>
          one.capability === capability && !one.isUserData && (one.platforms?.includes(platform) ?? true),
      );
      const settings = capability === "ImageRegistry" ? 4 : 0;
      const found = findTraces(traces);
      expect(found.map(({ kind }) => kind)).toEqual(Array(expected.length + settings).fill("leftover"));
      expect(new Set(found.map((trace) => trace.capability))).toEqual(new Set([capability]));
    }
  },
);

test.for(platforms)(
  "When a cluster on %s has nothing of its capabilities, it should tell what is missing",
  (platform) => {
    const traces = { ...aWholeCluster(platform, capabilities), disabled: [] };
    const required = expectedObjects.filter(
      ({ isRequired, platforms }) => isRequired && (platforms?.includes(platform) ?? true),
    );
    const found = findTraces(traces);
    expect(found.map(({ kind }) => kind)).toEqual(Array(required.length + 3).fill("missing"));
    expect(found.map(({ what }) => what)).toContain(
      "Deployment/clusters-shop/cluster-image-registry-operator",
    );
  },
);

test.for([
  {
    name: "cloud credentials of the registry",
    traces: inGuest(credentials),
    told: ["leftover Secret/openshift-image-registry/installer-cloud-credentials"],
  },
  {
    name: "the same on a platform that has none",
    traces: { ...inGuest(credentials), platform: "KubeVirt" },
    told: [],
  },
  {
    name: "the same name in another namespace",
    traces: inGuest(anObject(lookedAt.Secret, "installer-cloud-credentials", "elsewhere")),
    told: [],
  },
  {
    name: "pull secrets on service accounts",
    traces: inGuest(
      anAccount("builder", "builder-dockercfg-x7k2p"),
      anAccount("own", "my-pull-secret"),
      anAccount("none"),
    ),
    told: ["leftover ServiceAccount imagePullSecrets"],
  },
  {
    name: "a volume claim of the registry",
    traces: inGuest(
      anObject(lookedAt.PersistentVolumeClaim, "image-registry-storage", "openshift-image-registry"),
    ),
    told: ["userData PersistentVolumeClaim/openshift-image-registry/image-registry-storage"],
  },
  {
    name: "a configuration with storage",
    traces: inGuest(
      registryConfig({ status: { storage: { managementState: "Managed", s3: { bucket: "b" } } } }),
    ),
    told: ["leftover Config/cluster", "userData Config/cluster status.storage"],
  },
  {
    name: "a configuration that removes the registry once more",
    traces: inGuest(registryConfig({ spec: { managementState: "Removed" } })),
    told: ["leftover Config/cluster"],
  },
  {
    name: "null for the host name",
    traces: {
      ...registryOff,
      controlPlane: [
        ...registryOff.controlPlane.slice(0, -3),
        config("openshift-apiserver", "config.yaml", {
          imagePolicyConfig: { internalRegistryHostname: null },
        }),
      ],
    },
    told: [],
  },
  {
    name: "a configuration that never had storage",
    traces: inGuest(registryConfig({ status: { storage: { managementState: "Managed" } } })),
    told: ["leftover Config/cluster"],
  },
  {
    name: "a guest that was not read",
    traces: { ...inGuest(credentials), guest: undefined },
    told: [],
  },
  {
    name: "the host name in the configuration of the API servers",
    traces: {
      ...registryOff,
      controlPlane: [...registryOff.controlPlane.slice(0, -3), ...configs(host, off)],
    },
    told: [
      "leftover ConfigMap/clusters-shop/openshift-controller-manager-config config.yaml: dockerPullSecret.internalRegistryHostname",
      "leftover ConfigMap/clusters-shop/openshift-apiserver config.yaml: imagePolicyConfig.internalRegistryHostname",
      "leftover ConfigMap/clusters-shop/kas-config config.json: imagePolicyConfig.internalRegistryHostname",
    ],
  },
  {
    name: "the controller for pull secrets",
    traces: {
      ...registryOff,
      controlPlane: [...registryOff.controlPlane.slice(0, -3), ...configs(undefined, ["*"])],
    },
    told: ["leftover ConfigMap/clusters-shop/openshift-controller-manager-config config.yaml: controllers"],
  },
  {
    name: "no configuration files, or such that cannot be read",
    traces: {
      ...registryOff,
      controlPlane: [
        ...registryOff.controlPlane.slice(0, -3),
        anObject(lookedAt.ConfigMap, "kas-config", controlPlaneNamespace, { data: { "config.json": "{" } }),
        anObject(lookedAt.ConfigMap, "openshift-apiserver", controlPlaneNamespace),
      ],
    },
    told: [],
  },
])("When a cluster without registry has $name, it should tell $told", ({ traces, told }) => {
  expect(findTraces(traces).map(({ kind, what }) => `${kind} ${what}`)).toEqual(told);
});

test("When HyperShift forgets a capability on a platform, it should say that removing does not last", () => {
  const openStack = { ...inGuest(credentials), platform: "OpenStack" };
  expect(findTraces(openStack).map(({ remedy }) => remedy)).toEqual([
    "HyperShift writes it on OpenStack whatever the capability says; removing it does not last.",
  ]);
});

test("When something could not be read, it should not be told as missing", () => {
  const whole = aWholeCluster("None");
  const isCertificate = ({ kind, metadata }: KubernetesObject) =>
    kind === "Secret" && metadata.name === "ingress-crt";
  const controlPlane = whole.controlPlane.filter((object) => !isCertificate(object));
  const [place] = traceLocations(whole).filter(({ name }) => name === "ingress-crt");
  expect(findTraces({ ...whole, controlPlane }).map(({ what }) => what)).toEqual([
    "Secret/clusters-shop/ingress-crt",
  ]);
  expect(findTraces({ ...whole, controlPlane, unread: place ? [place] : [] })).toEqual([]);
});

test("When something else could not be read, what is missing should be told all the same", () => {
  const controlPlane = whole.controlPlane.filter((object) => !isDeployment(object));
  const places = traceLocations(whole).filter(
    ({ name, kind }) => name === "ingress-operator" || kind.kind === "Deployment",
  );
  const others = places.filter(
    ({ name, kind }) => !(name === "ingress-operator" && kind.kind === "Deployment"),
  );
  const inTheGuest = places.map((place) => ({ ...place, where: "guest" as const }));
  const told = (unread: readonly Place[]) => findTraces({ ...whole, controlPlane, unread }).length;
  expect([told(others), told(inTheGuest), told(places)]).toEqual([1, 1, 0]);
});
