import { expect, test } from "vitest";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { ended, running } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

const fleet = (count: number) => Array.from({ length: count }, (_, index) => `sno${index + 1}`);

test("When all clusters fail, the pre-caching should end with status False, and no timer should continue", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  system.report(ended("fails"));
  await system.settle();
  expect(system.condition()).toBe("False Failed: Precaching failed for all clusters");
  const version = system.upgrade()?.metadata.resourceVersion;
  system.pass(24 * 3600);
  await system.settle();
  expect([...system.queues.values()].flat()).toEqual([]);
  system.resync();
  await system.settle();
  expect(system.upgrade()?.metadata.resourceVersion).toBe(version);
});

test("When two upgrades select one cluster, the second should wait, name the first, and not change its run", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1"], { name: "first" }));
  await system.settle();
  system.plan(aPlannedUpgrade(["sno1"], { name: "second" }));
  await system.settle();
  expect(system.works("sno1")).toHaveLength(1);
  expect(system.states("second")).toEqual({});
  expect(system.entries).toContainEqual(
    expect.objectContaining({
      event: "decided",
      subject: "sno1",
      reason: "Waits for ClusterGroupUpgrade/default/first, which pre-caches this cluster first.",
    }),
  );
  system.report(ended("succeeds"));
  await system.settle();
  system.pass(30);
  system.resync();
  await system.settle();
  expect(system.states("second")).toEqual({ sno1: "Starting" });
});

test("When an upgrade is deleted, every object that was created for it should be removed", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(fleet(3)));
  await system.settle();
  const upgrade = system.upgrade();
  if (upgrade) await system.hub.delete(referenceTo(upgrade));
  await system.settle();
  expect(system.works()).toEqual([]);
  expect(system.hub.all(kinds.PreCachingReport)).toEqual([]);
});

test("When the rollout has ended, the objects that failed clusters keep for diagnosis should be removed", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  system.report(ended("fails"), ["sno1"]);
  system.report(ended("succeeds"), ["sno2"]);
  await system.settle();
  const upgrade = system.upgrade();
  const status = Object(upgrade?.status);
  const succeeded = { type: "Succeeded", status: "True", reason: "Completed", message: "" };
  if (upgrade)
    system.hub.put({ ...upgrade, status: { ...status, conditions: [...status.conditions, succeeded] } });
  system.pass(120);
  system.resync();
  await system.settle();
  expect(system.works()).toEqual([]);
});

test("When TALM runs an upgrade itself, no object of it should change", async () => {
  const system = precacheSystem();
  const upgrade = aPlannedUpgrade(["sno1"]);
  const { precaching } = Object(upgrade.status);
  const talms = {
    ...upgrade,
    status: { precaching: { ...precaching, clusters: [], status: { sno1: "Active" } } },
  };
  const { metadata } = system.hub.put(talms);
  system.resync();
  await system.settle();
  expect(system.upgrade()?.metadata.resourceVersion).toBe(metadata.resourceVersion);
  expect(system.works()).toEqual([]);
});

test("When 500 clusters are pre-cached, the hub should get three requests a cluster and a few for all", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(fleet(500)));
  await system.settle();
  system.report(running(0.5));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle({ batchSize: 500 });
  expect(system.condition()).toContain("PrecachingCompleted");
  expect(system.count("create ManifestWork")).toBe(500);
  expect(system.count("delete ManifestWork")).toBe(500);
  expect(system.count("get ManifestWork")).toBe(500);
  const all = [...system.requests.values()].reduce((sum, count) => sum + count, 0);
  expect(all / 500).toBeLessThanOrEqual(3.3);
});
