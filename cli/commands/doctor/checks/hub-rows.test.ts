import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { before, checkedHub, type Given } from "./fixtures.ts";
import { neededKinds } from "./kind-rows.ts";

/** The check, its state, what it says and how to fix it, for what a hub has. */
type Case = readonly [check: string, state: string, says: string, given: Given, remedy?: string];

const dayOf = (days: number) => before(-days * 24 * 60 * 60);
const clockCases: readonly Case[] = [
  ["clock", "ok", "agree", {}],
  ["clock", "ok", "agree", { serverTime: before(-4) }],
  ["clock", "note", "5 s behind", { serverTime: before(-5) }],
  ["clock", "note", "60 s ahead of", { serverTime: before(60) }],
  ["clock", "problem", "opens no maintenance window", { serverTime: before(61) }],
  ["clock", "problem", "3600 s behind", { serverTime: before(-3600) }],
  ["clock", "note", "does not send its time", { serverTime: undefined }, "date -u"],
  ["login", "ok", "valid for 90 more days, until 2026-05-30", { loginEnd: dayOf(90) }],
  ["login", "ok", "valid for 14 more days", { loginEnd: dayOf(14) }],
  ["login", "note", "valid for 13 more days", { loginEnd: dayOf(13.99) }],
  ["login", "note", "valid for 1 more day,", { loginEnd: dayOf(1.5) }],
  ["login", "problem", "The kubeconfig's login was valid until 2026-03-01.", { loginEnd: dayOf(0) }],
];

const needsKubernetes = "Kubernetes 1.30, which is OpenShift 4.17";
const versionCases: readonly Case[] = [
  ["hub", "problem", "Kubernetes v1.29.14", { version: "v1.29.14+rke2r1" }, needsKubernetes],
  ["hub", "ok", "v1.30.0, as jo.", { version: "v1.30.0" }],
  // Text that is not a version says nothing about the hub.
  ["hub", "ok", "unknown", { version: "unknown" }],
];

const kindsOf = (name: string) => neededKinds.find((one) => one.name === name)?.kinds ?? [];
const { ManifestWork, PreCachingReport, ReadinessReport, ClusterImagePolicy, Image } = kinds;
const statusKinds = kindsOf("precache-status");
const reports = "precachingreports of hubrelay.dev/v1alpha1";
const works = "manifestworks of work.open-cluster-management.io/v1";
const kindCases: readonly Case[] = [
  ["kinds of mirror-config", "ok", "kinds are served.", {}],
  ["kinds of mirror-config", "note", "served; not clusterimagepolicies", { lacks: [ClusterImagePolicy] }],
  ["kinds of mirror-config", "problem", "but not images of config", { lacks: [Image] }],
  [
    "kinds of precache-status",
    "note",
    "0 of",
    { lacks: [...statusKinds, PreCachingReport] },
    "unless you want to use them",
  ],
  [
    "kinds of precache-status",
    "problem",
    `but not ${works}, ${reports}`,
    { lacks: [PreCachingReport, ManifestWork] },
    "which installs hubrelay's own kinds. Is this kubeconfig",
  ],
  ["kinds of precache-status", "problem", `not ${works}`, { lacks: [ManifestWork] }, "install the operator"],
  [
    "kinds of precache-status",
    "problem",
    `${reports}, readinessreports of hubrelay.dev/v1alpha1, which it requires.`,
    { lacks: [PreCachingReport, ReadinessReport] },
    "kubectl apply -k infra/crds",
  ],
  [
    "kinds of maintenance-window",
    "note",
    "is served; not maintenancewindows",
    { lacks: [kinds.MaintenanceWindow] },
    "kubectl apply -k infra/crds",
  ],
];

const anObject = (kind: string, fields: object): KubernetesObject => ({
  ...{ apiVersion: "v1", kind, metadata: { namespace: "hubrelay", name: "hubrelay-settings-7f" } },
  ...fields,
});
const held = {
  holderIdentity: "pod-1",
  leaseDurationSeconds: 15,
  renewTime: before(2).toISOString(),
};
const aLease = (spec: object, metadata: object = {}) => ({
  objects: { Lease: anObject("Lease", { metadata: { name: "hubrelay-forwarder", ...metadata }, spec }) },
});
const heartbeat = (seconds: number) => ({
  annotations: { "hubrelay.dev/heartbeat": before(seconds).toISOString() },
});
/** A Lease as the API server stored its renewal then; somebody has annotated it later. */
const storedAt = (stored: number, renewed: number) =>
  aLease(
    { ...held, renewTime: before(renewed).toISOString() },
    {
      managedFields: [
        { time: before(stored).toISOString(), fieldsV1: { "f:spec": { "f:renewTime": {} } } },
        { time: before(1).toISOString(), fieldsV1: { "f:metadata": {} } },
      ],
    },
  );
const renewedBefore = (seconds: number) => aLease({ ...held, renewTime: before(seconds).toISOString() });
const ahead =
  "The clock of pod-1, which has the Lease hubrelay/hubrelay-forwarder, is 61 s ahead of the hub's: no maintenance window opens.";
const leaseCases: readonly Case[] = [
  ["lease", "note", "No forwarder has taken", {}],
  ["lease", "note", "released it", aLease({ ...held, holderIdentity: "" })],
  ["lease", "ok", "pod-1 has the Lease hubrelay/hubrelay-forwarder.", aLease(held)],
  ["lease", "ok", "pod-1 has", storedAt(62, 2)],
  ["lease", "problem", ahead, storedAt(63, 2)],
  ["lease", "problem", "is 3000 s behind the hub's", storedAt(2, 3002)],
  ["lease", "ok", "pod-1 has", aLease(held, heartbeat(900))],
  ["lease", "problem", "no heartbeat for 901 s", aLease(held, heartbeat(901))],
  // Just before another forwarder would take it, and after.
  ["lease", "ok", "pod-1 has", renewedBefore(45)],
  ["lease", "problem", "has not renewed it for 46 s: no forwarder works.", renewedBefore(46)],
  // Renewed by a clock that is ahead.
  ["lease", "ok", "pod-1 has", renewedBefore(-600)],
  ["lease", "problem", "no forwarder writes such a Lease", aLease({ holderIdentity: "x" })],
  ["lease", "problem", "no forwarder writes such a Lease", aLease({ ...held, renewTime: "soon" })],
];

const guard = "pre-caching guard";
const binding = anObject("ValidatingAdmissionPolicyBinding", {
  spec: { paramRef: { name: "hubrelay-settings-7f", namespace: "hubrelay" } },
});
const settings = (data?: Readonly<Record<string, string>>) => ({
  objects: {
    ValidatingAdmissionPolicyBinding: binding,
    ...(data && { ConfigMap: anObject("ConfigMap", { data }) }),
  },
});
const image = `registry.lab:8443/hubrelay/workload@sha256:${"a".repeat(64)}`;
const hardened = { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_WORKLOAD_IMAGE: image };
const withCatalogs = { ...hardened, HUBRELAY_INDEX_REPOSITORIES: "registry.lab/olm/index" };
const tagged = { ...hardened, HUBRELAY_WORKLOAD_IMAGE: "registry.lab/w:1" };
const misspelt = { ...hardened, HUBRELAY_PRECACHE_PROFILE: "Hardened" };
const missing = "ConfigMap hubrelay/hubrelay-settings-7f, which does not exist: no ManifestWork";
const noCatalog = "HUBRELAY_INDEX_REPOSITORIES is empty: no catalog";
const guardCases: readonly Case[] = [
  [guard, "note", "no admission policy", {}, "infra/hub-rbac"],
  [guard, "problem", missing, settings(), "create configmap hubrelay-settings-7f"],
  [
    guard,
    "note",
    "hubrelay pre-caches nothing",
    settings({ HUBRELAY_WORKLOAD_IMAGE: "" }),
    "is not to pre-cache",
  ],
  [guard, "problem", "has no digest", settings(tagged), "REGISTRY/REPOSITORY@sha256:DIGEST"],
  [guard, "problem", "is not a profile", settings(misspelt), "correct it"],
  [guard, "note", noCatalog, settings(hardened), "Name the repositories"],
  [guard, "ok", "read catalogs of registry.lab/olm/index", settings(withCatalogs)],
  [guard, "ok", "any image", settings({ HUBRELAY_WORKLOAD_IMAGE: "registry.lab/w:1" })],
];

const clusterVersion = anObject("ClusterVersion", {
  status: { history: [{ state: "Completed", version: "4.17.3" }] },
});
const otherCases: readonly Case[] = [
  ["release", "ok", "The hub is OpenShift 4.17.3.", { objects: { ClusterVersion: clusterVersion } }],
  ["release", "note", "No ClusterVersion", {}],
  ["monitoring", "ok", "monitors user-defined", { objects: { Prometheus: anObject("Prometheus", {}) } }],
  ["monitoring", "note", "neither metrics nor alerts", {}, "enableUserWorkload: true"],
  [
    "forms of deployment",
    "problem",
    "share a Lease: only one",
    { objects: { Deployment: anObject("Deployment", { spec: { replicas: 2 } }) } },
    "From another form",
  ],
  ["access of forwarder", "ok", "jo has all 2 permissions.", {}],
  [
    "access of forwarder",
    "problem",
    "jo may not get g b.",
    { refused: ["get g b"] },
    "ServiceAccount hubrelay/hubrelay-forwarder",
  ],
  [
    "access of hosted-clusters",
    "problem",
    "ServiceAccount hubrelay/hubrelay-hosted-clusters may not get g b.",
    { refused: ["get g b"], asAccounts: true },
    "kubectl apply -k infra/hub-rbac",
  ],
];

const cases = [
  ...[clockCases, versionCases, kindCases].flat(),
  ...[leaseCases, guardCases, otherCases].flat(),
].map((one, index) => [index, ...one] as const);

test.for(cases)("When a hub is that of row %i, %s should be %s: %s", async (one) => {
  const [, check, state, says, given, remedy] = one;
  const { named } = await checkedHub(given);
  expect(named[check]).toMatchObject({ state, found: expect.stringContaining(says) });
  expect(named[check]?.remedy ?? "").toContain(remedy ?? "");
  expect(named[check]?.remedy === undefined).toBe(state === "ok");
});
