import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { type Bandwidths, noBandwidths } from "../../precache-start/limits.ts";
import {
  architecturesOf,
  freeBytesAnnotation,
  type PlannedImage,
  sizeIssues,
  streamSavings,
} from "./cluster-sizes.ts";
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

describe("whether it fits", () => {
  const full = aRecord({ state: "UnrecoverableError", reason: "NoSpace", message: "3.0 GiB are left" });

  test.for<{
    what: string;
    /** By the annotation. */
    free?: string;
    /** By the cluster's latest run. */
    reported?: number;
    disk?: string;
    record?: ClusterRecord;
    spaceRequired?: string;
    room: string;
    reason: string;
  }>([
    { what: "nothing reports it", room: "unknown", reason: "The free space on the cluster is unknown." },
    {
      what: "the disk is large enough, but nothing reports what is free",
      disk: "30Gi",
      room: "unknown",
      reason: "Its disk has 30.0 GiB in all; the free space on the cluster is unknown.",
    },
    {
      what: "the whole disk is too small",
      disk: "30719Mi",
      room: "too small",
      reason: "Its disk has 30.0 GiB in all, 30.0 GiB are needed.",
    },
    {
      what: "a run has reported that there is not enough",
      reported: 29 * gib,
      room: "too small",
      reason: "29.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "an annotation differs from what a run has reported",
      free: String(40 * gib),
      reported: 29 * gib,
      room: "fits",
      reason: "40.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "what is requested is free",
      free: String(30 * gib),
      room: "fits",
      reason: "30.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "the images are more than was requested",
      free: String(19 * gib),
      spaceRequired: "10",
      room: "too small",
      reason: "19.0 GiB are free, 20.0 GiB are needed.",
    },
    {
      what: "the cluster has refused",
      free: String(99 * gib),
      record: full,
      room: "too small",
      reason: "The cluster reported no room: 3.0 GiB are left",
    },
    {
      what: "everything is there",
      free: "0",
      record: aRecord({ state: "Succeeded" }),
      room: "fits",
      reason: "Every image is on the cluster.",
    },
  ])(
    "When $what, it should say $room",
    ({ free, reported, disk, record, spaceRequired = "30", room, reason }) => {
      const cluster = aCluster("sno1", {}, free === undefined ? {} : { [freeBytesAnnotation]: free });
      const status = disk === undefined ? {} : { capacity: { cpu: "8", "ephemeral-storage": disk } };
      const [found] = sizes({
        managedClusters: [{ ...cluster, status }],
        records: new Map(record ? [["sno1", record]] : []),
        freeBytes: new Map(reported === undefined ? [] : [["sno1", reported]]),
        plan: aPlan(["sno1"], spaceRequired),
      }).clusters;
      expect([found?.room, found?.reason]).toEqual([room, reason]);
    },
  );

  test.for([
    { spaceRequired: "30", free: 40, codes: [] },
    { spaceRequired: "20", free: 40, codes: [] },
    { spaceRequired: "19", free: 40, codes: ["SpaceRequiredTooSmall"] },
    { spaceRequired: "30", free: 29, codes: ["NoRoom"] },
    { spaceRequired: "19", free: 19, codes: ["SpaceRequiredTooSmall", "NoRoom"] },
  ])(
    "When $spaceRequired GiB are required and $free are free for 20, $codes should be reported",
    ({ spaceRequired, free, codes }) => {
      const managedClusters = [aCluster("sno1", {}, { [freeBytesAnnotation]: String(free * gib) })];
      const plan = aPlan(["sno1"], spaceRequired);
      const cgu = { apiVersion: "a/v1", kind: "ClusterGroupUpgrade", metadata: { name: "upgrade" } };
      const issues = sizeIssues(cgu, plan.spec, sizes({ managedClusters, plan }));
      expect(issues.map(({ code }) => code)).toEqual(codes);
      expect(issues.every(({ severity }) => severity === "warning")).toBe(true);
    },
  );
});
