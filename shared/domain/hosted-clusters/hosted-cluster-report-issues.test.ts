import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { anImageDigestMirrorSet } from "../mirrors/fixtures.ts";
import { knownCatalogs } from "./facts/hypershift.ts";
import { aHostedCluster, ofHypershift } from "./fixtures.ts";
import { readHostedClusters } from "./given-clusters.ts";
import { type CheckedCatalogs, type HostedOptions, reportHostedClusters } from "./hosted-cluster-report.ts";

const named = (name: string, namespace = "clusters") => ({ kind: "HostedCluster", namespace, name });
const release = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi";
const found = { version: "4.20.4", images: new Map<string, string>() };
const released = (image: string) => ({ spec: { release: { image } } });

test.for<{
  name: string;
  objects: readonly KubernetesObject[];
  options?: HostedOptions;
  issue: object;
}>([
  {
    name: "is of another version of its API",
    objects: [{ ...aHostedCluster(), apiVersion: "hypershift.openshift.io/v1alpha1" }],
    issue: {
      code: "WrongApiVersion",
      severity: "error",
      object: named("shop"),
      path: "apiVersion",
      value: "hypershift.openshift.io/v1alpha1",
      message: "HostedCluster is not served as hypershift.openshift.io/v1alpha1",
      remedy: "Write apiVersion: hypershift.openshift.io/v1beta1.",
    },
  },
  {
    name: "is given twice",
    objects: [aHostedCluster(), aHostedCluster()],
    issue: {
      code: "DuplicateObject",
      severity: "warning",
      object: named("shop"),
      path: "metadata.name",
      value: "shop",
      message: "The HostedCluster clusters/shop is given more than once",
      remedy: "Remove all but one: on a hub, each would replace the previous one.",
    },
  },
  {
    name: "shares the namespace of its control plane",
    objects: [
      aHostedCluster({ name: "a-b.c" }),
      aHostedCluster({ name: "a.b-c" }),
      aHostedCluster({ name: "b.c", namespace: "clusters-a" }),
    ],
    issue: {
      code: "SharedControlPlaneNamespace",
      severity: "warning",
      object: named("a-b.c"),
      path: "metadata.name",
      value: "a-b.c",
      message: "Its control plane would be in clusters-a-b-c, as that of clusters/a.b-c, clusters-a/b.c",
      remedy: "Rename one of them: a dot in the name becomes a dash in the namespace.",
    },
  },
  {
    name: "has a release that is not an image reference",
    objects: [aHostedCluster(released("quay.io/OCP/release:4.20.4"))],
    issue: {
      code: "InvalidReference",
      severity: "error",
      object: named("shop"),
      path: "spec.release.image",
      value: "quay.io/OCP/release:4.20.4",
      message: "A repository name cannot contain capital letters.",
      remedy: "Write the name as the registry has it.",
    },
  },
  {
    name: "has a release that no registry has",
    objects: [aHostedCluster()],
    options: { releases: new Map([[release, { problem: "m.lan: not there" }]]) },
    issue: {
      code: "ReleaseNotFound",
      severity: "error",
      object: named("shop"),
      path: "spec.release.image",
      value: release,
      message: "The release image cannot be read: m.lan: not there",
      remedy: "Mirror it, or name a release that the registries have.",
    },
  },
  {
    name: "has a catalog that no registry has",
    objects: [aHostedCluster()],
    options: { catalogs: new Map([["clusters/shop", { problems: ["no registry has it"] }]]) },
    issue: {
      code: "CatalogNotFound",
      severity: "error",
      object: named("shop"),
      path: "",
      value: undefined,
      message: "no registry has it",
      remedy: "Mirror the catalog, or fix the annotations that say where it is.",
    },
  },
  {
    name: "names no release",
    objects: [aHostedCluster({ spec: { release: {} } })],
    issue: {
      code: "MissingField",
      severity: "error",
      object: named("shop"),
      path: "spec.release.image",
      value: null,
      message: "The HostedCluster names no release image",
      remedy: "Write spec.release.image; nothing can be looked up without it.",
    },
  },
])("When a HostedCluster $name, it should report exactly this issue", ({ objects, options, issue }) => {
  const [cluster] = reportHostedClusters(objects, options).clusters;
  expect(cluster?.issues).toContainEqual(issue);
});

test("When a HostedCluster is given twice and another one shares its namespace, it should report both", () => {
  const objects = [
    aHostedCluster({ name: "a.b" }),
    aHostedCluster({ name: "a.b" }),
    aHostedCluster({ name: "a-b" }),
  ];
  const codes = reportHostedClusters(objects).clusters.map(({ issues }) => issues.map(({ code }) => code));
  expect(codes).toEqual([
    ["SharedControlPlaneNamespace"],
    ["DuplicateObject", "SharedControlPlaneNamespace"],
    ["DuplicateObject", "SharedControlPlaneNamespace"],
  ]);
});

test("When an upgrade keeps a disabled capability on, it should be reported with the cluster's other issues", () => {
  const object = aHostedCluster({ spec: { capabilities: { disabled: ["ImageRegistry"] } } });
  const { issues } = reportHostedClusters([object], { releaseVersion: "4.13.1", toRelease: "4.14.1" });
  expect(issues.map(({ code }) => code)).toEqual(["CapabilityNotSupported", "StaysEnabled"]);
});

test("When the API server refuses an unreadable value, it should be reported once", () => {
  const spec = {
    imageContentSources: [{ source: "quay.io", mirrors: "m.lan" }],
    olmCatalogPlacement: "both",
  };
  const { issues } = reportHostedClusters([aHostedCluster({ spec })]);
  expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
    "InvalidType spec.imageContentSources[0].mirrors",
    "UnsupportedValue spec.olmCatalogPlacement",
  ]);
});

test("When registries have the catalogs of a cluster, errors in its annotations should still be reported", () => {
  const annotations = { "hypershift.openshift.io/redhat-marketplace-catalog-image": "m.lan/x@sha256:1" };
  const images = [{ name: "redhat-operators", image: "m.lan/x:v4.20" }];
  const reported = (checked: CheckedCatalogs) =>
    reportHostedClusters([aHostedCluster({ annotations })], {
      releaseVersion: "4.23.1",
      catalogs: new Map([["clusters/shop", checked]]),
    }).issues.map(({ code }) => code);
  expect(reported({ images })).toEqual(["DeadAnnotation"]);
  expect(reported({ problems: ["no registry has it"] })).toEqual(["DeadAnnotation", "CatalogNotFound"]);
});

test("When a mirror object is invalid, HyperShift's result should warn about it in every cluster", () => {
  const broken = { ...anImageDigestMirrorSet("a", []), spec: "x" };
  const { clusters, issues } = reportHostedClusters([aHostedCluster({ annotations: ofHypershift }), broken]);
  expect(issues.map(({ severity, path }) => `${severity} ${path}`)).toEqual(["warning spec"]);
  expect(clusters[0]?.issues).toEqual(issues);
});

test.for([
  { name: "the one that is given", options: { releaseVersion: "4.18.1" }, version: "4.18.1" },
  {
    name: "the one of its label",
    options: { releases: new Map([[release, { ...found, version: "4.19.2" }]]) },
    version: "4.19.2",
  },
  { name: "that of its tag", options: {}, version: "4.20.4" },
  {
    name: "the one of its tag, without a label",
    options: { releases: new Map([[release, { ...found, version: undefined }]]) },
    version: "4.20.4",
  },
  {
    name: "the one of its tag, without the image",
    options: { releases: new Map([[release, { problem: "gone" }]]) },
    version: "4.20.4",
  },
])("When a release's version is determined, it should be $name", ({ options, version }) => {
  expect(readHostedClusters([aHostedCluster()], options)[0]?.cluster.version).toBe(version);
});

test("When HostedClusters are read, they should be sorted by namespace and name, without other objects", () => {
  const objects = [
    aHostedCluster({ name: "b", namespace: "y" }),
    aHostedCluster({ name: "c", namespace: "x" }),
    aHostedCluster({ name: "a", namespace: "y" }),
    { ...aHostedCluster({ name: "pool" }), kind: "NodePool" },
    { ...aHostedCluster({ name: "foreign" }), apiVersion: "hypershift.openshift.io.example.com/v1beta1" },
  ];
  const names = readHostedClusters(objects).map(({ cluster }) => `${cluster.namespace}/${cluster.name}`);
  expect(names).toEqual(["x/c", "y/a", "y/b"]);
});

test("When HyperShift writes, it should include its capabilities and catalogs", () => {
  const image = (name: string) => `m.lan/${name}@sha256:${"d".repeat(64)}`;
  const annotations = Object.fromEntries(
    knownCatalogs.map(({ name, imageAnnotation }) => [imageAnnotation, image(name)]),
  );
  const spec = { olmCatalogPlacement: "guest" };
  const resultOf = (writer: Readonly<Record<string, string>>) => {
    const object = aHostedCluster({ annotations: { ...annotations, ...writer }, spec });
    const [report] = reportHostedClusters([object], { releaseVersion: "4.14.1" }).clusters;
    return [report?.capabilities.baselineCapabilitySet, report?.olmCatalogs.at(-1)?.image];
  };
  expect(resultOf({})).toEqual(["vCurrent", image("redhat-operators")]);
  expect(resultOf(ofHypershift)).toEqual([
    "vCurrent",
    "registry.redhat.io/redhat/redhat-operator-index:v4.14",
  ]);
});
