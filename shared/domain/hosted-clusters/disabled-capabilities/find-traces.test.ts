import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { expectedObjects, traceKinds } from "./expected-objects.ts";
import { findTraces } from "./find-traces.ts";
import {
  anAccount,
  anObject,
  authorities,
  aWholeCluster,
  bundle,
  config,
  configs,
  controlPlaneNamespace,
  credentials,
  guard,
  host,
  inBoth,
  inGuest,
  isDeployment,
  noIngress,
  off,
  registryConfig,
  registryOff,
  whole,
} from "./fixtures.ts";
import type { TraceLocation } from "./trace.ts";
import { traceLocations } from "./trace-locations.ts";

const capabilities = ["ImageRegistry", "Ingress", "NodeTuning", "Console", "Insights", "openshift-samples"];
const platforms = ["AWS", "Azure", "GCP", "OpenStack", "PowerVS", "KubeVirt", "Agent", "IBMCloud", "None"];

test.for(platforms)(
  "When a cluster on %s has everything that it should have, it should report nothing",
  (platform) => {
    expect(findTraces(aWholeCluster(platform))).toEqual([]);
    expect(findTraces(aWholeCluster(platform, capabilities))).toEqual([]);
  },
);

test.for(platforms)(
  "When a cluster on %s is without a capability, it should report everything that is left of it",
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
  "When a cluster on %s has nothing of its capabilities, it should report what is missing",
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
    reported: ["leftover Secret/openshift-image-registry/installer-cloud-credentials"],
  },
  {
    name: "the same on a platform that has none",
    traces: { ...inGuest(credentials), platform: "KubeVirt" },
    reported: [],
  },
  {
    name: "the same name in another namespace",
    traces: inGuest(anObject(traceKinds.Secret, "installer-cloud-credentials", "elsewhere")),
    reported: [],
  },
  {
    name: "pull secrets on service accounts",
    traces: inGuest(
      anAccount("builder", "builder-dockercfg-x7k2p"),
      anAccount("own", "my-pull-secret"),
      anAccount("none"),
    ),
    reported: ["leftover ServiceAccount imagePullSecrets"],
  },
  {
    name: "a volume claim of the registry",
    traces: inGuest(
      anObject(traceKinds.PersistentVolumeClaim, "image-registry-storage", "openshift-image-registry"),
    ),
    reported: ["userData PersistentVolumeClaim/openshift-image-registry/image-registry-storage"],
  },
  {
    name: "a configuration with storage",
    traces: inGuest(
      registryConfig({ status: { storage: { managementState: "Managed", s3: { bucket: "b" } } } }),
    ),
    reported: ["leftover Config/cluster", "userData Config/cluster status.storage"],
  },
  {
    name: "a configuration that also removes the registry",
    traces: inGuest(registryConfig({ spec: { managementState: "Removed" } })),
    reported: ["leftover Config/cluster"],
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
    reported: [],
  },
  {
    name: "a configuration that never had storage",
    traces: inGuest(registryConfig({ status: { storage: { managementState: "Managed" } } })),
    reported: ["leftover Config/cluster"],
  },
  {
    name: "a guest that was not read",
    traces: { ...inGuest(credentials), guest: undefined },
    reported: [],
  },
  {
    name: "the host name in the configuration of the API servers",
    traces: {
      ...registryOff,
      controlPlane: [...registryOff.controlPlane.slice(0, -3), ...configs(host, off)],
    },
    reported: [
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
    reported: [
      "leftover ConfigMap/clusters-shop/openshift-controller-manager-config config.yaml: controllers",
    ],
  },
  {
    name: "no configuration files, or unreadable ones",
    traces: {
      ...registryOff,
      controlPlane: [
        ...registryOff.controlPlane.slice(0, -3),
        anObject(traceKinds.ConfigMap, "kas-config", controlPlaneNamespace, { data: { "config.json": "{" } }),
        anObject(traceKinds.ConfigMap, "openshift-apiserver", controlPlaneNamespace),
      ],
    },
    reported: [],
  },
])("When a cluster without registry has $name, it should report $reported", ({ traces, reported }) => {
  expect(findTraces(traces).map(({ kind, what }) => `${kind} ${what}`)).toEqual(reported);
});

test("When HyperShift ignores a capability on a platform, it should report that a removal does not last", () => {
  const openStack = { ...inGuest(credentials), platform: "OpenStack" };
  expect(findTraces(openStack).map(({ remedy }) => remedy)).toEqual([
    "HyperShift writes it on OpenStack regardless of the capability; if you remove it, HyperShift writes it again.",
  ]);
});

test("When something could not be read, it should not be reported as missing", () => {
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

test("When something else could not be read, what is missing should still be reported", () => {
  const controlPlane = whole.controlPlane.filter((object) => !isDeployment(object));
  const places = traceLocations(whole).filter(
    ({ name, kind }) => name === "ingress-operator" || kind.kind === "Deployment",
  );
  const others = places.filter(
    ({ name, kind }) => !(name === "ingress-operator" && kind.kind === "Deployment"),
  );
  const inTheGuest = places.map((place) => ({ ...place, where: "guest" as const }));
  const reported = (unread: readonly TraceLocation[]) =>
    findTraces({ ...whole, controlPlane, unread }).length;
  expect([reported(others), reported(inTheGuest), reported(places)]).toEqual([1, 1, 0]);
});

test.for([
  { name: "ingresses are guarded", traces: inBoth([], [], [guard("proxies", "ingresses")]), reported: [] },
  {
    name: "ingresses are not guarded",
    traces: inBoth([], [], [guard("proxies")]),
    reported: ["missing ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "ingresses are guarded without Ingress",
    traces: inBoth(noIngress, [], [guard("ingresses")]),
    reported: ["leftover ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "another policy has that name",
    traces: inBoth([], [], [anObject(traceKinds.ValidatingAdmissionPolicy, "config")]),
    reported: [],
  },
  {
    name: "the router is trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root", "router"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    reported: [],
  },
  {
    name: "the router is not trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    reported: [`missing ${bundle}`],
  },
  {
    name: "there is no router to trust",
    traces: inBoth([], [authorities("root-ca", "root"), authorities("observed-default-ingress-cert")], []),
    reported: [],
  },
  {
    name: "the router's authority is not written yet",
    traces: inBoth(
      [],
      [
        authorities("root-ca", "root"),
        anObject(traceKinds.ConfigMap, "observed-default-ingress-cert", controlPlaneNamespace),
      ],
      [],
    ),
    reported: [],
  },
  {
    name: "there is no bundle",
    traces: inBoth([], [authorities("observed-default-ingress-cert", "router")], []),
    reported: [],
  },
  {
    name: "a router is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root", "router")], []),
    reported: [`leftover ${bundle}`],
  },
  {
    name: "only the control plane is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root")], []),
    reported: [],
  },
])("When $name, it should report exactly that", ({ traces, reported }) => {
  expect(findTraces(traces).map(({ kind, what }) => `${kind} ${what}`)).toEqual(reported);
});
