import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { architecturesOf, sizeIssues } from "./cluster-sizes.ts";
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

  test("When no size is known, the bytes should not be either, unless the cluster is done", () => {
    const managedClusters = ["sno1", "sno2"].map((name) => aCluster(name, { site: name }));
    const records = new Map([["sno2", aRecord({ state: "Succeeded" })]]);
    const measured = new Map([["amd64", images(0)]]);
    const found = sizes({ managedClusters, records, measured });
    expect(found.clusters).toMatchObject([
      { totalBytes: null, missingBytes: null },
      { totalBytes: null, missingBytes: 0 },
    ]);
    expect(found.sites).toMatchObject([
      { site: "sno1", missingBytes: null },
      { site: "sno2", missingBytes: 0 },
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

test("When nothing names a label of sites, there should be none", () => {
  const found = sizes({ managedClusters: [aCluster("a", { site: "oslo" })], siteLabel: undefined });
  expect([found.sites, found.clusters.map(({ site }) => site)]).toEqual([[], [null]]);
});

test.for([
  ["30", []],
  ["20", []],
  ["19", ["warning SpaceRequiredTooSmall"]],
] as const)("When %s GiB are required for images of 20, it should report %j", ([spaceRequired, reported]) => {
  const plan = aPlan(["sno1"], spaceRequired);
  const cgu = { apiVersion: "a/v1", kind: "ClusterGroupUpgrade", metadata: { name: "upgrade" } };
  const issues = sizeIssues(cgu, plan.spec, sizes({ managedClusters: [aCluster("sno1")], plan }));
  expect(issues.map(({ severity, code }) => `${severity} ${code}`)).toEqual(reported);
});
