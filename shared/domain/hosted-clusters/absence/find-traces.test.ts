import { expect, test } from "vitest";
import type { Kind } from "../../kubernetes/kinds.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { aHostedCluster } from "../fixtures.ts";
import { type ExpectedObject, expectedObjects, lookedAt } from "./expected-objects.ts";
import { type CapabilityTraces, findTraces, placesToLook } from "./find-traces.ts";
import { traceIssues } from "./trace-issues.ts";

const controlPlaneNamespace = "clusters-shop";
type Fields = Readonly<Record<string, unknown>>;

const anObject = (kind: Kind, name: string, namespace?: string, fields: Fields = {}): KubernetesObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, ...(kind.namespaced && namespace ? { namespace } : {}) },
  ...fields,
});
const objectOf = ({ where, kind, name, namespace }: ExpectedObject) =>
  anObject(kind, name, where === "controlPlane" ? controlPlaneNamespace : namespace);

const config = (name: string, file: string, content: unknown) =>
  anObject(lookedAt.ConfigMap, name, controlPlaneNamespace, { data: { [file]: JSON.stringify(content) } });
const configs = (host: string | undefined, controllers?: readonly string[]) => [
  config("openshift-controller-manager-config", "config.yaml", {
    ...(controllers ? { controllers } : {}),
    dockerPullSecret: { internalRegistryHostname: host ?? "" },
  }),
  config("openshift-apiserver", "config.yaml", {
    imagePolicyConfig: { internalRegistryHostname: host ?? "" },
  }),
  config("kas-config", "config.json", { imagePolicyConfig: { internalRegistryHostname: host } }),
];
const host = "image-registry.openshift-image-registry.svc:5000";
const off = ["*", "-openshift.io/serviceaccount-pull-secrets"];

/** A cluster on a platform that has all of its capabilities, but for what is left out. */
function aWholeCluster(platform: string, without: readonly string[] = []): CapabilityTraces {
  const kept = expectedObjects.filter(
    ({ capability, platforms, isUserData }) =>
      !without.includes(capability) && !isUserData && (platforms?.includes(platform) ?? true),
  );
  const isOff = without.includes("ImageRegistry");
  return {
    disabled: without,
    platform,
    controlPlaneNamespace,
    controlPlane: [
      ...kept.filter(({ where }) => where === "controlPlane").map(objectOf),
      ...configs(isOff ? undefined : host, isOff ? off : undefined),
    ],
    guest: kept.filter(({ where }) => where === "guest").map(objectOf),
  };
}

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

const registryOff = aWholeCluster("AWS", ["ImageRegistry"]);
const inGuest = (...objects: readonly KubernetesObject[]): CapabilityTraces => ({
  ...registryOff,
  guest: [...(registryOff.guest ?? []), ...objects],
});
const credentials = anObject(lookedAt.Secret, "installer-cloud-credentials", "openshift-image-registry");
const anAccount = (name: string, ...secrets: readonly string[]) =>
  anObject(lookedAt.ServiceAccount, name, "shop", {
    imagePullSecrets: secrets.map((secret) => ({ name: secret })),
  });
const registryConfig = (fields: Fields) => anObject(lookedAt.RegistryConfig, "cluster", undefined, fields);

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

test("When many service accounts have pull secrets, it should name some and count the others", () => {
  const accounts = Array.from({ length: 7 }, (_, index) =>
    anAccount(`a${index}`, `a${index}-dockercfg-abcde`),
  );
  expect(findTraces(inGuest(...accounts)).map(({ message }) => message)).toEqual([
    "service accounts have pull secrets of a registry that is disabled: shop/a0, shop/a1, shop/a2, shop/a3, shop/a4 and 2 more",
  ]);
});

test("When HyperShift forgets a capability on a platform, it should say that removing does not last", () => {
  const openStack = { ...inGuest(credentials), platform: "OpenStack" };
  expect(findTraces(openStack).map(({ remedy }) => remedy)).toEqual([
    "HyperShift writes it on OpenStack whatever the capability says; removing it does not last.",
  ]);
});

test.for([
  { platform: "AWS", controllers: off, says: /service accounts get no pull secrets$/ },
  { platform: "AWS", controllers: undefined, says: /service accounts still get pull secrets$/ },
  { platform: "AWS", controllers: ["*"], says: /service accounts still get pull secrets$/ },
  {
    platform: "Azure",
    controllers: undefined,
    says: /on Azure service accounts get pull secrets all the same$/,
  },
  { platform: "IBMCloud", controllers: off, says: /service accounts get no pull secrets$/ },
])(
  "When the registry is removed by its configuration on $platform, it should tell the controllers",
  ({ platform, controllers, says }) => {
    const whole = aWholeCluster(platform);
    const removed = registryConfig({ spec: { managementState: "Removed" } });
    const guest = [...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"), removed];
    const controlPlane = [...whole.controlPlane.slice(0, -3), ...configs(host, controllers)];
    const found = findTraces({ ...whole, guest, controlPlane });
    expect(found).toEqual([
      expect.objectContaining({
        kind: "olderWay",
        capability: "ImageRegistry",
        message: expect.stringMatching(says),
      }),
    ]);
  },
);

test("When it is asked where to look, it should name every object once, in its namespace, and no other platform's", () => {
  const places = placesToLook({ platform: "AWS", controlPlaneNamespace });
  const names = places.map(
    ({ where, kind, namespace, name }) => `${where} ${kind.kind} ${namespace ?? ""} ${name}`,
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("controlPlane ConfigMap clusters-shop kas-config");
  expect(names).toContain("guest Secret openshift-image-registry installer-cloud-credentials");
  expect(names).toContain("guest Config  cluster");
  expect(names.filter((name) => name.includes("azure"))).toEqual([]);
  expect(placesToLook({ platform: "Azure", controlPlaneNamespace }).length).toBeGreaterThan(places.length);
});

const certificate = (letters: string) =>
  `-----BEGIN CERTIFICATE-----\n${letters}\n-----END CERTIFICATE-----\n`;
const authorities = (name: string, ...letters: readonly string[]) =>
  anObject(lookedAt.ConfigMap, name, controlPlaneNamespace, {
    data: { "ca.crt": letters.map(certificate).join("") },
  });
const guard = (...resources: readonly string[]) =>
  anObject(lookedAt.ValidatingAdmissionPolicy, "config", undefined, {
    spec: { matchConstraints: { resourceRules: [{ apiGroups: ["config.openshift.io"], resources }] } },
  });
const inBoth = (
  without: readonly string[],
  here: readonly KubernetesObject[],
  there: readonly KubernetesObject[],
): CapabilityTraces => {
  const whole = aWholeCluster("None", without);
  const isAnother = ({ kind, metadata }: KubernetesObject) =>
    !here.some((one) => one.kind === kind && one.metadata.name === metadata.name);
  return {
    ...whole,
    controlPlane: [...whole.controlPlane.filter(isAnother), ...here],
    guest: [...(whole.guest ?? []), ...there],
  };
};
const noIngress = ["Ingress", "Console"];
const bundle = "ConfigMap/clusters-shop/root-ca ca.crt";

test.for([
  { name: "ingresses are guarded", traces: inBoth([], [], [guard("proxies", "ingresses")]), told: [] },
  {
    name: "ingresses are not guarded",
    traces: inBoth([], [], [guard("proxies")]),
    told: ["missing ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "ingresses are guarded without Ingress",
    traces: inBoth(noIngress, [], [guard("ingresses")]),
    told: ["leftover ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "another policy has that name",
    traces: inBoth([], [], [anObject(lookedAt.ValidatingAdmissionPolicy, "config")]),
    told: [],
  },
  {
    name: "the router is trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root", "router"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    told: [],
  },
  {
    name: "the router is not trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    told: [`missing ${bundle}`],
  },
  {
    name: "there is no router to trust",
    traces: inBoth([], [authorities("root-ca", "root"), authorities("observed-default-ingress-cert")], []),
    told: [],
  },
  {
    name: "there is no bundle",
    traces: inBoth([], [authorities("observed-default-ingress-cert", "router")], []),
    told: [],
  },
  {
    name: "a router is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root", "router")], []),
    told: [`leftover ${bundle}`],
  },
  {
    name: "the control plane alone is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root")], []),
    told: [],
  },
])("When $name, it should tell exactly that", ({ traces, told }) => {
  expect(findTraces(traces).map(({ kind, what }) => `${kind} ${what}`)).toEqual(told);
});

test("When it is asked only what is missing, it should leave out what may be there or not", () => {
  const places = placesToLook({ platform: "AWS", controlPlaneNamespace }, { isAboutMissing: true });
  const names = places.map(({ kind, name }) => `${kind.kind} ${name}`);
  expect(names).toContain("Deployment ingress-operator");
  expect(names).toContain("ConfigMap kas-config");
  expect(names).not.toContain("PodMonitor ingress-operator");
  expect(names).not.toContain("PersistentVolumeClaim image-registry-storage");
});

test("When it is asked where to look for one capability, it should name that one's places alone", () => {
  const places = placesToLook(
    { platform: "AWS", controlPlaneNamespace },
    { isAskedFor: (name) => name === "Console" },
  );
  expect(places.map(({ kind, name }) => `${kind.kind} ${name}`)).toEqual(["ClusterOperator console"]);
});

test("When something could not be read, it should not be told as missing", () => {
  const whole = aWholeCluster("None");
  const isCertificate = ({ kind, metadata }: KubernetesObject) =>
    kind === "Secret" && metadata.name === "ingress-crt";
  const controlPlane = whole.controlPlane.filter((object) => !isCertificate(object));
  const [place] = placesToLook(whole).filter(({ name }) => name === "ingress-crt");
  expect(findTraces({ ...whole, controlPlane }).map(({ what }) => what)).toEqual([
    "Secret/clusters-shop/ingress-crt",
  ]);
  expect(findTraces({ ...whole, controlPlane, unread: place ? [place] : [] })).toEqual([]);
});

test("When traces become issues, they should be warnings about the HostedCluster", () => {
  expect(traceIssues(aHostedCluster(), findTraces(inGuest(credentials)))).toEqual([
    {
      code: "CapabilityLeftover",
      severity: "warning",
      object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
      path: "spec.capabilities",
      value: {
        capability: "ImageRegistry",
        what: "Secret/openshift-image-registry/installer-cloud-credentials",
      },
      message:
        "Secret/openshift-image-registry/installer-cloud-credentials is in the guest though ImageRegistry is disabled",
      remedy: "Find out who made it, and remove it when nobody uses it.",
    },
  ]);
});
