import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { anImageDigestMirrorSet } from "../mirrors/fixtures.ts";
import { aHostedCluster, ofHypershift } from "./fixtures.ts";
import { readHostedClusters } from "./given-clusters.ts";
import { type CheckedCatalogs, type HostedOptions, reportHostedClusters } from "./hosted-cluster-report.ts";

const release = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi";
const found = { version: "4.20.4", images: new Map<string, string>() };

type Row = readonly [
  what: string,
  objects: readonly KubernetesObject[],
  options: HostedOptions,
  issue: object,
];
const v1alpha1 = "hypershift.openshift.io/v1alpha1";
test.for<Row>([
  [
    "is of another version of its API",
    [{ ...aHostedCluster(), apiVersion: v1alpha1 }],
    {},
    { code: "WrongApiVersion", severity: "error", path: "apiVersion", value: v1alpha1 },
  ],
  [
    "has a release that no registry has",
    [aHostedCluster()],
    { releases: new Map([[release, { problem: "m.lan: not there" }]]) },
    {
      code: "ReleaseNotFound",
      severity: "error",
      path: "spec.release.image",
      value: release,
      message: "The release image cannot be read: m.lan: not there",
    },
  ],
  [
    "names no release",
    [aHostedCluster({ spec: { release: {} } })],
    {},
    { code: "MissingField", severity: "error", path: "spec.release.image", value: null },
  ],
])("When a HostedCluster %s, it should report this issue", ([, objects, options, issue]) => {
  const [cluster] = reportHostedClusters(objects, options).clusters;
  expect(cluster?.issues).toContainEqual(expect.objectContaining(issue));
});

test("When an upgrade keeps a disabled capability on, it should be reported with the cluster's other issues", () => {
  const object = aHostedCluster({ spec: { capabilities: { disabled: ["ImageRegistry"] } } });
  const { issues } = reportHostedClusters([object], { releaseVersion: "4.13.1", toRelease: "4.14.1" });
  expect(issues.map(({ code }) => code)).toEqual(["CapabilityNotSupported", "StaysEnabled"]);
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
  ["the one that is given", { releaseVersion: "4.18.1" }, "4.18.1"],
  ["the one of its label", { releases: new Map([[release, { ...found, version: "4.19.2" }]]) }, "4.19.2"],
  ["that of its tag", {}, "4.20.4"],
  [
    "the one of its tag, without a label",
    { releases: new Map([[release, { ...found, version: undefined }]]) },
    "4.20.4",
  ],
  [
    "the one of its tag, without the image",
    { releases: new Map([[release, { problem: "gone" }]]) },
    "4.20.4",
  ],
] as const)("When a release's version is determined, it should be %s", ([, options, version]) => {
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
