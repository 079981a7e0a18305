import { expect, test } from "vitest";
import type { Kind } from "../../kubernetes/kinds.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { aHostedCluster } from "../fixtures.ts";
import { type ExpectedObject, expectedObjects, lookedAt } from "./expected-objects.ts";
import { type CapabilityTraces, findTraces, type Place, placesToLook, type Trace } from "./find-traces.ts";
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
  {
    platform: "IBMCloud",
    controllers: undefined,
    says: /on IBMCloud service accounts get pull secrets all the same$/,
  },
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
    name: "the router's authority is not written yet",
    traces: inBoth(
      [],
      [
        authorities("root-ca", "root"),
        anObject(lookedAt.ConfigMap, "observed-default-ingress-cert", controlPlaneNamespace),
      ],
      [],
    ),
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

const whole = aWholeCluster("AWS");
const claim = "PersistentVolumeClaim/openshift-image-registry/image-registry-storage";
const ofController = "ConfigMap/clusters-shop/openshift-controller-manager-config config.yaml:";
const withConfigs = (traces: CapabilityTraces, given: readonly KubernetesObject[]): CapabilityTraces => ({
  ...traces,
  controlPlane: [...traces.controlPlane.slice(0, -3), ...given],
});
const isDeployment = ({ kind, metadata }: KubernetesObject) =>
  kind === "Deployment" && metadata.name === "ingress-operator";

test.for<{ name: string; traces: CapabilityTraces; told: Partial<Trace> & Readonly<{ code: string }> }>([
  {
    name: "is missing",
    traces: { ...whole, controlPlane: whole.controlPlane.filter((object) => !isDeployment(object)) },
    told: {
      code: "CapabilityIncomplete",
      capability: "Ingress",
      what: "Deployment/clusters-shop/ingress-operator",
      message:
        "Deployment/clusters-shop/ingress-operator is not in the control plane though Ingress is enabled",
      remedy: "Look at the operator that makes it; a young cluster may not have it yet.",
    },
  },
  {
    name: "is left in the control plane",
    traces: {
      ...registryOff,
      controlPlane: [
        ...registryOff.controlPlane,
        anObject(lookedAt.ConfigMap, "image-registry-controller-config", controlPlaneNamespace),
      ],
    },
    told: {
      code: "CapabilityLeftover",
      capability: "ImageRegistry",
      what: "ConfigMap/clusters-shop/image-registry-controller-config",
      message:
        "ConfigMap/clusters-shop/image-registry-controller-config is in the control plane though ImageRegistry is disabled",
      remedy: "Find out who made it, and remove it when nobody uses it.",
    },
  },
  {
    name: "may be data of users",
    traces: inGuest(
      anObject(lookedAt.PersistentVolumeClaim, "image-registry-storage", "openshift-image-registry"),
    ),
    told: {
      code: "CapabilityDataKept",
      capability: "ImageRegistry",
      what: claim,
      message: `${claim} is still in the guest though ImageRegistry is disabled: it may hold data of the cluster's users`,
      remedy: "Look what is in it; nobody but its owner removes it.",
    },
  },
  {
    name: "is storage that the registry's configuration names",
    traces: inGuest(
      registryConfig({ status: { storage: { s3: {}, managementState: "Managed", azure: {} } } }),
    ),
    told: {
      code: "CapabilityDataKept",
      capability: "ImageRegistry",
      what: "Config/cluster status.storage",
      message: "the registry's configuration still names storage (azure, s3), which may hold images",
      remedy: "Look what is in it; nobody but its owner removes it.",
    },
  },
  {
    name: "is a setting for a registry that is off",
    traces: withConfigs(registryOff, configs(host, off)),
    told: {
      code: "CapabilityLeftover",
      capability: "ImageRegistry",
      what: `${ofController} dockerPullSecret.internalRegistryHostname`,
      message: `${ofController} dockerPullSecret.internalRegistryHostname is "${host}" and should be "", since ImageRegistry is disabled`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  },
  {
    name: "is a controller that should be off",
    traces: withConfigs(registryOff, configs(undefined)),
    told: {
      code: "CapabilityLeftover",
      capability: "ImageRegistry",
      what: `${ofController} controllers`,
      message: `${ofController} controllers is "" and should be ["*","-openshift.io/serviceaccount-pull-secrets"], since ImageRegistry is disabled`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  },
  {
    name: "is a setting that the registry needs",
    traces: withConfigs(whole, configs("another.svc:5000")),
    told: {
      code: "CapabilityIncomplete",
      capability: "ImageRegistry",
      what: `${ofController} dockerPullSecret.internalRegistryHostname`,
      message: `${ofController} dockerPullSecret.internalRegistryHostname is "another.svc:5000" and should be "${host}", since ImageRegistry is enabled`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  },
  {
    name: "are pull secrets of a registry that is off",
    traces: inGuest(anAccount("builder", "builder-dockercfg-x7k2p")),
    told: {
      code: "CapabilityLeftover",
      capability: "ImageRegistry",
      what: "ServiceAccount imagePullSecrets",
      message: "service accounts have pull secrets of a registry that is disabled: shop/builder",
      remedy:
        "Look whether the openshift-controller-manager runs with -openshift.io/serviceaccount-pull-secrets.",
    },
  },
  {
    name: "is a registry that its own configuration removes",
    traces: {
      ...whole,
      guest: [
        ...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"),
        registryConfig({ spec: { managementState: "Removed" } }),
      ],
    },
    told: {
      code: "RegistryRemovedByConfig",
      capability: "ImageRegistry",
      what: "Config/cluster spec.managementState",
      message:
        "the registry is removed by its own configuration; its operator runs on, and service accounts still get pull secrets",
      remedy: "Disable the capability ImageRegistry when a cluster is created to be without all of it.",
    },
  },
  {
    name: "is no guard of ingresses",
    traces: inBoth([], [], [guard("proxies")]),
    told: {
      code: "CapabilityIncomplete",
      capability: "Ingress",
      what: "ValidatingAdmissionPolicy/config ingresses",
      message: "the guest's admission policy config does not guard ingresses, though Ingress is enabled",
      remedy: "The hosted-cluster-config operator writes it; look at its log.",
    },
  },
  {
    name: "is a guard of ingresses that nobody needs",
    traces: inBoth(noIngress, [], [guard("ingresses")]),
    told: {
      code: "CapabilityLeftover",
      capability: "Ingress",
      what: "ValidatingAdmissionPolicy/config ingresses",
      message: "the guest's admission policy config guards ingresses, though Ingress is disabled",
      remedy: "The hosted-cluster-config operator writes it; look at its log.",
    },
  },
  {
    name: "is a router that is not trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    told: {
      code: "CapabilityIncomplete",
      capability: "Ingress",
      what: bundle,
      message: `${bundle} lacks the authority of the default router, which ConfigMap/clusters-shop/observed-default-ingress-cert has`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  },
  {
    name: "is trust in a router that is off",
    traces: inBoth(noIngress, [authorities("root-ca", "root", "router", "other")], []),
    told: {
      code: "CapabilityLeftover",
      capability: "Ingress",
      what: bundle,
      message: `${bundle} trusts more than the control plane's own authority (2 more), though Ingress is disabled`,
      remedy: "The control-plane operator writes it; look at its log.",
    },
  },
])("When there $name, the HostedCluster should be told in these words", ({ traces, told }) => {
  const { code, capability, what, message, remedy } = told;
  const issue = traceIssues(aHostedCluster(), findTraces(traces)).find(
    ({ message: text }) => text === message,
  );
  expect(issue).toEqual({
    code,
    severity: "warning",
    object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
    path: "spec.capabilities",
    value: { capability, what },
    message,
    remedy,
  });
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
] as const)("When a service account has the pull secrets %j, it should be told: %s", ([secrets, isTold]) => {
  expect(findTraces(inGuest(anAccount("a", ...secrets)))).toHaveLength(isTold ? 1 : 0);
});

test.for([undefined, "x-dockercfg-abcde", ["x-dockercfg-abcde"], [null]])(
  "When the pull secrets of a service account are %j, they should be none",
  (imagePullSecrets) => {
    const account = anObject(lookedAt.ServiceAccount, "a", "shop", { imagePullSecrets });
    expect(findTraces(inGuest(account))).toEqual([]);
  },
);

test("When something else has pull secrets, it should be no service account's", () => {
  const fields = { imagePullSecrets: [{ name: "x-dockercfg-abcde" }] };
  expect(findTraces(inGuest(anObject(lookedAt.Secret, "a", "shop", fields)))).toEqual([]);
});

test("When the registry is on, its pull secrets and its storage should be nobody's business", () => {
  const guest = [
    ...(whole.guest ?? []).filter(({ kind }) => kind !== "Config"),
    anAccount("builder", "builder-dockercfg-x7k2p"),
    registryConfig({ spec: { managementState: "Managed" }, status: { storage: { s3: {} } } }),
  ];
  expect(findTraces({ ...whole, guest })).toEqual([]);
});

test("When something else could not be read, what is missing should be told all the same", () => {
  const controlPlane = whole.controlPlane.filter((object) => !isDeployment(object));
  const places = placesToLook(whole).filter(
    ({ name, kind }) => name === "ingress-operator" || kind.kind === "Deployment",
  );
  const others = places.filter(
    ({ name, kind }) => !(name === "ingress-operator" && kind.kind === "Deployment"),
  );
  const inTheGuest = places.map((place) => ({ ...place, where: "guest" as const }));
  const told = (unread: readonly Place[]) => findTraces({ ...whole, controlPlane, unread }).length;
  expect([told(others), told(inTheGuest), told(places)]).toEqual([1, 1, 0]);
});
