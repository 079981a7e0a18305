import { expect, test } from "vitest";
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
  off,
  registryConfig,
  registryOff,
  whole,
} from "./fixtures.ts";

const platforms = ["AWS", "Azure", "GCP", "OpenStack", "PowerVS", "KubeVirt", "Agent", "IBMCloud", "None"];

test.for(platforms)(
  "When a cluster on %s has no registry, it should report everything that is left of one, and nothing otherwise",
  (platform) => {
    const whole = aWholeCluster(platform);
    expect(findTraces(whole)).toEqual([]);
    expect(findTraces({ ...registryOff, platform })).toEqual([]);
    const expected = expectedObjects.filter(
      (one) => !one.isUserData && (one.platforms?.includes(platform) ?? true),
    );
    const found = findTraces({ ...whole, isDisabled: true });
    expect(found.map(({ kind }) => kind)).toEqual(Array(expected.length + 4).fill("leftover"));
  },
);

test.for([
  {
    name: "cloud credentials of the registry",
    traces: inGuest(credentials),
    reported: ["leftover Secret/openshift-image-registry/installer-cloud-credentials"],
  },
  {
    name: "the same on a platform that always has them",
    traces: { ...inGuest(credentials), platform: "OpenStack" },
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
  { name: "a guest that was not read", traces: { ...inGuest(credentials), guest: undefined }, reported: [] },
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
