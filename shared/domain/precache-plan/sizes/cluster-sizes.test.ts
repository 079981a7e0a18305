import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import type { ClusterAction } from "../../precache-model/precache-plan.ts";
import { type Bandwidths, noBandwidths } from "../../precache-start/bandwidth.ts";
import { architecturesOf, type PlannedImage, streamSavings } from "./cluster-sizes.ts";
import { aCluster, aPlan, aRecord, gib, images, sizes } from "./fixtures.ts";

describe("what is missing", () => {
  test.for<{ what: string; record?: Partial<ClusterRecord>; total: number; missing: number }>([
    { what: "nothing was reported", total: 20, missing: 20 },
    { what: "a run has brought 5 GiB", record: { bytesDone: 5 * gib }, total: 20, missing: 15 },
    {
      what: "a run knows of more",
      record: { bytesDone: 5 * gib, bytesTotal: 26 * gib },
      total: 26,
      missing: 21,
    },
    { what: "a run knows of less", record: { bytesDone: 5 * gib, bytesTotal: 1 }, total: 20, missing: 15 },
    { what: "a run has brought more than counts", record: { bytesDone: 21 * gib }, total: 20, missing: 0 },
    { what: "a run has succeeded", record: { state: "Succeeded" }, total: 20, missing: 0 },
  ])("When $what, $missing of $total GiB should be missing", ({ record, total, missing }) => {
    const records = new Map(record ? [["sno1", aRecord(record)]] : []);
    const [found] = sizes({ managedClusters: [aCluster("sno1")], records }).clusters;
    expect(found).toMatchObject({ totalBytes: total * gib, missingBytes: missing * gib });
  });

  test("When no size is known, neither bytes nor seconds should be, unless the cluster is done", () => {
    const managedClusters = ["sno1", "sno2"].map((name) => aCluster(name, { site: name }));
    const records = new Map([["sno2", aRecord({ state: "Succeeded" })]]);
    const bandwidths = { elsewhere: 100, bySite: new Map() };
    const measured = new Map([["amd64", images(0)]]);
    const found = sizes({ managedClusters, records, bandwidths, measured });
    expect(found.clusters).toMatchObject([
      { totalBytes: null, missingBytes: null, seconds: null },
      { totalBytes: null, missingBytes: 0, seconds: 0 },
    ]);
    expect(found.sites).toMatchObject([
      { site: "sno1", missingBytes: null, seconds: null },
      { site: "sno2", missingBytes: 0, seconds: 0 },
    ]);
  });

  test("When one cluster has reported the total of this content, the others of its architecture should have it", () => {
    const managedClusters = ["canary", "next", "arm"].map((name) =>
      aCluster(name, name === "arm" ? { "kubernetes.io/arch": "arm64" } : {}),
    );
    const index = "quay.io/a/index@sha256:1";
    const withCatalog = { ...images(20 * gib), catalogs: [index] };
    const measured = new Map([
      ["amd64", withCatalog],
      ["arm64", withCatalog],
    ]);
    const records = new Map([["canary", aRecord({ state: "Succeeded", bytesTotal: 26 * gib })]]);
    const found = sizes({ managedClusters, measured, records });
    expect(found.clusters.map(({ totalBytes, missingBytes }) => [totalBytes, missingBytes])).toEqual([
      [26 * gib, 0],
      [26 * gib, 26 * gib],
      [20 * gib, 20 * gib],
    ]);
    // The images of arm64's operators are still not known.
    expect(found.notCounted.map(({ name }) => name)).toEqual([index]);
    const known = sizes({
      managedClusters: managedClusters.slice(0, 2),
      measured: new Map([["amd64", withCatalog]]),
      records,
    });
    expect(known.notCounted).toEqual([]);
  });

  test("When clusters have other architectures, each should have the images of its own", () => {
    const managedClusters = [aCluster("a"), aCluster("b", { "kubernetes.io/arch": "arm64" })];
    const plan = aPlan(["a", "b"]);
    expect(architecturesOf({ plan, managedClusters })).toEqual(["amd64", "arm64"]);
    const measured = new Map([
      ["amd64", images(7)],
      ["arm64", images(5)],
    ]);
    const found = sizes({ managedClusters, measured }).clusters;
    expect(found.map(({ architecture, totalBytes }) => [architecture, totalBytes])).toEqual([
      ["amd64", 7],
      ["arm64", 5],
    ]);
  });

  test.for<{ action: ClusterAction; counts: number }>([
    { action: "precache", counts: 1 },
    { action: "wait", counts: 1 },
    { action: "leave out", counts: 0 },
  ])("When the plan says $action, $counts clusters should have sizes", ({ action, counts }) => {
    const plan = aPlan(["sno1"], "30", action);
    const managedClusters = [aCluster("sno1")];
    expect(sizes({ managedClusters, plan }).clusters).toHaveLength(counts);
    expect(architecturesOf({ plan, managedClusters })).toHaveLength(counts);
  });

  test("When two architectures lack the same image, it should be reported once", () => {
    const notCounted = [{ name: "quay.io/a/b", reason: "gone" }];
    const lacking = { layers: new Map<string, number>(), catalogs: [], notCounted, osStreams: [] };
    const measured = new Map([
      ["amd64", lacking],
      ["arm64", lacking],
    ]);
    expect(sizes({ managedClusters: [], measured }).notCounted).toEqual(notCounted);
  });
});

describe("how long it takes", () => {
  const measured = new Map([["amd64", images(12_500_000)]]);
  const managedClusters = [
    aCluster("a", { site: "oslo" }),
    aCluster("b", { site: "oslo" }),
    aCluster("c", { site: "rome" }),
    aCluster("d"),
  ];

  test.for<{ what: string; bandwidths: Bandwidths; alone: unknown[]; together: unknown[] }>([
    {
      what: "no bandwidth is",
      bandwidths: noBandwidths,
      alone: [null, null, null, null],
      together: [null, null],
    },
    {
      what: "one for everybody is",
      bandwidths: { elsewhere: 100, bySite: new Map() },
      alone: [1, 1, 1, 1],
      together: [2, 1],
    },
    {
      what: "one for a site is",
      bandwidths: { elsewhere: undefined, bySite: new Map([["oslo", 20]]) },
      alone: [5, 5, null, null],
      together: [10, null],
    },
    {
      what: "both are",
      bandwidths: { elsewhere: 100, bySite: new Map([["oslo", 20]]) },
      alone: [5, 5, 1, 1],
      together: [10, 1],
    },
  ])("When $what known, the clusters of a site should share it", ({ bandwidths, alone, together }) => {
    const found = sizes({ managedClusters, measured, bandwidths });
    expect(found.clusters.map(({ seconds }) => seconds)).toEqual(alone);
    expect(found.sites.map(({ seconds }) => seconds)).toEqual(together);
    expect(found.sites).toMatchObject([
      { site: "oslo", clusters: 2, missingBytes: 25_000_000 },
      { site: "rome", clusters: 1, missingBytes: 12_500_000 },
    ]);
  });

  test("When nothing names a label of sites, there should be none", () => {
    const found = sizes({ managedClusters, measured, siteLabel: undefined });
    expect(found.sites).toEqual([]);
    expect(found.clusters.map(({ site }) => site)).toEqual([null, null, null, null]);
  });
});

test("When runs report any values, the missing bytes should be between zero and the total, and sites should add up", () => {
  const count = fc.integer({ min: 0, max: 1e12 });
  const record = fc.record({ bytesDone: count, bytesTotal: count });
  fc.assert(
    fc.property(fc.array(fc.tuple(record, fc.constantFrom("oslo", "rome"))), count, (reported, layer) => {
      const managedClusters = reported.map(([, site], index) => aCluster(`c${index}`, { site }));
      const records = new Map(reported.map(([fields], index) => [`c${index}`, aRecord(fields)]));
      const measured = new Map([["amd64", images(layer)]]);
      const { clusters, sites } = sizes({ managedClusters, records, measured });
      for (const { totalBytes, missingBytes } of clusters) {
        if (totalBytes === null) expect(missingBytes).toBeNull();
        expect(missingBytes ?? 0).toBeGreaterThanOrEqual(0);
        expect(missingBytes ?? 0).toBeLessThanOrEqual(totalBytes ?? 0);
      }
      const sum = (list: readonly { missingBytes: number | null }[]) =>
        list.reduce((all, { missingBytes }) => all + (missingBytes ?? 0), 0);
      expect(sum(sites)).toBe(sum(clusters));
    }),
  );
});

const image = (layers: Readonly<Record<string, number>>, tag?: string): PlannedImage => ({
  layers: new Map(Object.entries(layers)),
  ...(tag === undefined ? {} : { tag }),
});
const os9 = image({ base: 1, os9: 10 }, "rhel-coreos");
const extensions9 = image({ base: 1, extensions9: 100 }, "rhel-coreos-extensions");
const os10 = image({ base: 1, os10: 1000, shared: 5 }, "rhel-coreos-10");
const extensions10 = image({ extensions10: 10_000, shared: 5 }, "rhel-coreos-10-extensions");
const cli = image({ base: 1, cli: 7 }, "cli");

test("When a release has two OS streams, each should save the layers that only images of the other have", () => {
  expect(streamSavings([cli, os9, extensions9, os10, extensions10])).toEqual([
    { stream: "rhel-9", savedBytes: 11_005 },
    { stream: "rhel-10", savedBytes: 110 },
  ]);
});

test.for([
  { what: "a release has one OS stream", images: [cli, os9, extensions9] },
  { what: "patterns leave out one of them", images: [cli, os10, extensions10] },
  { what: "there is no release", images: [image({ own: 8 })] },
])("When $what, there should be no savings", ({ images }) => {
  expect(streamSavings(images)).toEqual([]);
});
