import { describe, expect, test } from "vitest";
import { aNodePool, inPlace } from "../../../test/support/hosted-clusters/node-pools.ts";
import { anImageDigestMirrorSet } from "../mirrors/fixtures.ts";
import { aHostedCluster } from "./fixtures.ts";
import { type HostedClusterReport, hostedItems, reportHostedClusters } from "./hosted-cluster-report.ts";

const release = "quay.io/openshift-release-dev/ocp-release";
const mirrors = anImageDigestMirrorSet("acme", [
  { source: release, mirrors: ["m2.lan/ocp/x", "m1.lan/ocp/x"] },
  { source: "docker.io", mirrors: ["m1.lan"] },
]);

function only({ clusters }: ReturnType<typeof reportHostedClusters>): HostedClusterReport {
  const [cluster] = clusters;
  if (!cluster || clusters.length > 1) throw new Error(`${clusters.length} clusters`);
  return cluster;
}

describe("reportHostedClusters", () => {
  test("When a HostedCluster is reported, it should have its whole configuration", () => {
    const imageContentSources = [{ source: "quay.io/ns", mirrors: ["m.lan/ns"] }];
    const object = aHostedCluster({
      name: "shop.eu",
      spec: { imageContentSources, capabilities: { disabled: ["ImageRegistry"] } },
    });
    const report = only(reportHostedClusters([object, mirrors]));
    expect(report).toMatchObject({
      namespace: "clusters",
      name: "shop.eu",
      controlPlaneNamespace: "clusters-shop-eu",
      capabilities: { baselineCapabilitySet: "None" },
      registryOverrides: { [release]: ["m2.lan/ocp/x", "m1.lan/ocp/x"] },
      env: { OPENSHIFT_IMG_OVERRIDES: `${release}=m1.lan/ocp/x,${release}=m2.lan/ocp/x` },
      imageContentSources,
      issues: [],
    });
    expect(report.capabilities?.additionalEnabledCapabilities).toContain("Console");
    expect(report.capabilities?.additionalEnabledCapabilities).not.toContain("ImageRegistry");
    expect(report.olmCatalogs).toContainEqual({
      name: "redhat-operators",
      image: "registry.redhat.io/redhat/redhat-operator-index:v4.20",
    });
    expect(Object.keys(report)).toEqual([
      "namespace",
      "name",
      "controlPlaneNamespace",
      "capabilities",
      "registryOverrides",
      "env",
      "olmCatalogs",
      "imageContentSources",
      "nodePools",
      "issues",
    ]);
  });

  test("When HostedClusters cannot be read, each should have a report with its issues", () => {
    const broken = { ...aHostedCluster({ name: "a" }), spec: "nothing" };
    const old = { ...aHostedCluster({ name: "b" }), apiVersion: "hypershift.openshift.io/v1alpha1" };
    const foreign = { ...aHostedCluster({ name: "c" }), apiVersion: "example.com/v1" };
    const { clusters, issues } = reportHostedClusters([foreign, old, broken]);
    expect(clusters.map(({ name, registryOverrides }) => [name, registryOverrides])).toEqual([
      ["a", {}],
      ["b", {}],
    ]);
    expect(clusters[0]?.olmCatalogs).toEqual([]);
    const codes = (index: number) => clusters[index]?.issues.map(({ code }) => code);
    expect(codes(0)).toEqual(expect.arrayContaining(["InvalidType", "MissingField"]));
    expect(codes(1)).toEqual(["WrongApiVersion"]);
    expect(issues).toHaveLength(clusters.flatMap((cluster) => cluster.issues).length);
  });

  test("When several clusters have an issue of a mirror object, it should be reported once", () => {
    const bad = anImageDigestMirrorSet("bad", [{ source: "quay.io", mirrors: ["BAD:x"] }]);
    const { clusters, issues } = reportHostedClusters([
      aHostedCluster({ name: "a" }),
      aHostedCluster({ name: "b", namespace: "another" }),
      bad,
    ]);
    expect(clusters.map(({ namespace, issues: own }) => [namespace, own.length])).toEqual([
      ["another", 1],
      ["clusters", 1],
    ]);
    expect(issues.map(({ code }) => code)).toEqual(["DroppedPair"]);
  });

  test.for([
    { version: "4.16.9", ignored: [["SourceIgnoredByRelease", ["quay.io"]]] },
    { version: "4.17.0", ignored: [] },
  ])(
    "When the control plane has $version, it should report the sources that it ignores",
    ({ version, ignored }) => {
      const roots = anImageDigestMirrorSet("roots", [
        { source: "quay.io", mirrors: ["m.lan/q"] },
        { source: release, mirrors: ["m.lan/x/y"] },
        { source: "docker.io", mirrors: ["m.lan/d"] },
      ]);
      const cluster = aHostedCluster({ spec: { release: { image: `${release}:${version}` } } });
      const { issues, registryOverrides } = only(reportHostedClusters([cluster, roots]));
      expect(issues.map(({ code, value }) => [code, value])).toEqual(ignored);
      expect(Object.keys(registryOverrides)).toContain("quay.io");
    },
  );

  test("When releases have been read, it should use their version and the repositories of their images", () => {
    const object = aHostedCluster({
      spec: {
        release: { image: "reg.lan/ocp/release:latest" },
        controlPlaneRelease: { image: "reg.lan/ocp/cp" },
      },
    });
    const images = new Map([["cli", "docker.io/ocp/cli@sha256:1"]]);
    const content = { version: "4.19.2", images };
    const of = (releases: ReadonlyMap<string, typeof content>, releaseVersion?: string) => {
      const { olmCatalogs, registryOverrides } = only(
        reportHostedClusters([object, mirrors], { releases, releaseVersion }),
      );
      return [olmCatalogs[0]?.image.replace(/.*:/, ""), Object.keys(registryOverrides)];
    };
    const both = new Map([
      ["reg.lan/ocp/release:latest", content],
      ["reg.lan/ocp/cp", { version: "4.20.1", images: new Map() }],
    ]);
    expect(of(both)).toEqual(["v4.19", ["docker.io"]]);
    expect(of(both, "4.18.1")).toEqual(["v4.18", ["docker.io"]]);
    // While one of them is not known, its images may be anywhere.
    expect(of(new Map([...both].slice(0, 1)))).toEqual(["v4.19", ["docker.io", release]]);
  });

  test("When a report is shown as text, each item should be a line", () => {
    const pool = {
      ...aNodePool("blue", { config: [{ name: "tuned" }], autoScaling: { min: 1 }, ...inPlace }),
      status: { replicas: 1, version: "4.20.1", conditions: [{ type: "Ready", status: "False" }] },
    };
    const spec = { imageContentSources: [{ source: "quay.io/ns", mirrors: ["m.lan/ns"] }] };
    const objects = [aHostedCluster({ spec }), mirrors, pool];
    const report = only(reportHostedClusters(objects, { releaseVersion: "4.17.1" }));
    const items = new Map(hostedItems(report));
    expect(items.get("registry overrides")).toEqual([`${release} from m2.lan/ocp/x, m1.lan/ocp/x`]);
    expect(items.get("nodes' mirrors")).toEqual(["quay.io/ns from m.lan/ns"]);
    expect(items.get("capabilities")).toEqual(["all of the release"]);
    expect(items.get("node pools")).toEqual([
      expect.stringMatching(
        /^blue: .* amd64; 1 node, scaled from 1 to any; InPlace, 1 unavailable at a time; configured by tuned; not ready$/,
      ),
    ]);
  });
});
