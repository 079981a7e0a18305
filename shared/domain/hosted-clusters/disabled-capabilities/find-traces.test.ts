import { expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { expectedObjects, traceKinds } from "./expected-objects.ts";
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
import { type TraceLocation, traceLocations } from "./trace.ts";

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
  { platform: "AWS", controllers: off, says: /service accounts get no pull secrets$/ },
  { platform: "AWS", controllers: undefined, says: /service accounts still get pull secrets$/ },
  { platform: "AWS", controllers: ["*"], says: /service accounts still get pull secrets$/ },
  {
    platform: "Azure",
    controllers: undefined,
    says: /on Azure service accounts get pull secrets anyway$/,
  },
  { platform: "IBMCloud", controllers: off, says: /service accounts get no pull secrets$/ },
  {
    platform: "IBMCloud",
    controllers: undefined,
    says: /on IBMCloud service accounts get pull secrets anyway$/,
  },
])(
  "When the registry is removed by its configuration on $platform, it should report the controllers",
  ({ platform, controllers, says }) => {
    const whole = aWholeCluster(platform);
    const removed = registryConfig({ spec: { managementState: "Removed" } });
    const guest = [...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"), removed];
    const controlPlane = [...whole.controlPlane.slice(0, -3), ...configs(host, controllers)];
    const found = findTraces({ ...whole, guest, controlPlane });
    expect(found).toEqual([
      expect.objectContaining({
        kind: "removedByConfig",
        capability: "ImageRegistry",
        message: expect.stringMatching(says),
      }),
    ]);
  },
);

test.for([
  { count: 5, more: "" },
  { count: 6, more: " and 1 more" },
])("When $count service accounts have pull secrets, it should end with '$more'", ({ count, more }) => {
  const names = Array.from({ length: count }, (_, index) => `a${index}`);
  const accounts = names.toReversed().map((name) => anAccount(name, `${name}-dockercfg-abcde`));
  const [trace] = findTraces(inGuest(...accounts));
  const shown = names.slice(0, 5).map((name) => `shop/${name}`);
  expect(trace?.message.split(": ")[1]).toBe(`${shown.join(", ")}${more}`);
});

test.for([
  [["x-dockercfg-abcde"], true],
  [["x-dockercfg-ab12e"], true],
  [["own", "x-dockercfg-abcde"], true],
  [["x-dockercfg-abcd"], false],
  [["x-dockercfg-abcdef"], false],
  [["x-dockercfg-ABCDE"], false],
  [["xdockercfg-abcde"], false],
  [[], false],
] as const)(
  "When a service account has the pull secrets %j, it should be reported: %s",
  ([secrets, isReported]) => {
    expect(findTraces(inGuest(anAccount("a", ...secrets)))).toHaveLength(isReported ? 1 : 0);
  },
);

test.for([undefined, "x-dockercfg-abcde", ["x-dockercfg-abcde"], [null]])(
  "When the pull secrets of a service account are %j, they should be ignored",
  (imagePullSecrets) => {
    const account = anObject(traceKinds.ServiceAccount, "a", "shop", { imagePullSecrets });
    expect(findTraces(inGuest(account))).toEqual([]);
  },
);

test("When the registry is on, its pull secrets and its storage should not be reported", () => {
  const guest = [
    ...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"),
    anAccount("builder", "builder-dockercfg-x7k2p"),
    registryConfig({ spec: { managementState: "Managed" }, status: { storage: { s3: {} } } }),
  ];
  expect(findTraces({ ...whole, guest })).toEqual([]);
});
