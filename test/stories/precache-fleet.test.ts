import { expect, test } from "vitest";
import { kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { ended, running } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

const fleet = (count: number) => Array.from({ length: count }, (_, index) => `sno${index + 1}`);

test("When an upgrade is planned, its clusters should go from no state to success with TALM's state names", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Starting", sno2: "Starting" });
  expect(system.condition()).toBe("False InProgress: Precaching in progress for 2 clusters");
  const decided = system.entries.find((entry) => entry.event === "decided" && entry.verdict === "start");
  expect(decided).toMatchObject({ subject: "sno1", reason: "It has a slot." });

  system.report(running(0.5), ["sno1"]);
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Active", sno2: "Starting" });

  system.report(ended("succeeds"));
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "Succeeded" });
  expect(system.condition()).toBe("True PrecachingCompleted: Precaching is completed for all clusters");
});

test("When a cluster has succeeded, its work should be removed once the result is on the hub", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  system.report(ended("succeeds"), ["sno1"]);
  await system.settle();
  expect(system.works("sno1")).toEqual([]);
  expect(system.works("sno2")).toHaveLength(1);
  expect(system.records().sno1).toMatchObject({
    state: "Succeeded",
    imagesDone: 190,
    imagesTotal: 190,
    attempt: 1,
  });
});

test("When a cluster has failed, its work should stay for diagnosis and the report should say why", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  system.report(ended("fails"), ["sno1"]);
  system.report(ended("succeeds"), ["sno2"]);
  await system.settle();
  expect(system.condition()).toBe("True PartiallyDone: Precaching failed for 1 clusters");
  expect(system.works("sno1")).toHaveLength(1);
  expect(system.records().sno1).toMatchObject({
    state: "UnrecoverableError",
    reason: "Unauthorized",
    message: expect.stringContaining("unauthorized"),
    imagesDone: 12,
  });
  expect(system.outcomes.map(({ type }) => type).sort()).toEqual([
    "dev.hubrelay.precache.cluster-failed",
    "dev.hubrelay.precache.finished",
  ]);
});

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

test("When conditions are set, they should be in TALM's order, so that the last one is shown", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1"]));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle();
  const { conditions } = Object(system.upgrade()?.status);
  expect(conditions.map(({ type }: { type: string }) => type)).toEqual([
    "ClustersSelected",
    "Validated",
    "PrecacheSpecValid",
    "PrecachingSuceeded",
  ]);
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

test("When a running work is removed, the cluster should start again", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1"]));
  await system.settle();
  system.report(running(0.5));
  await system.settle();
  const [work] = system.works();
  if (work) await system.hub.delete(referenceTo(work));
  await system.settle();
  expect(system.works("sno1")).toHaveLength(1);
  system.report(ended("succeeds"));
  await system.settle();
  expect(system.condition()).toContain("PrecachingCompleted");
});

test("When failed clusters are retried, only they should run again, as another attempt, and the annotation should be removed", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(fleet(3)));
  await system.settle();
  system.report(ended("fails"), ["sno1"]);
  system.report(ended("succeeds"), ["sno2", "sno3"]);
  await system.settle();
  const upgrade = system.upgrade();
  if (!upgrade) throw new Error("the upgrade is gone");
  system.hub.put({
    ...upgrade,
    metadata: { ...upgrade.metadata, annotations: { "hubrelay.dev/retry": "failed" } },
  });
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Starting", sno2: "Succeeded", sno3: "Succeeded" });
  expect(system.condition()).toBe("False InProgress: Precaching in progress for 1 clusters");
  expect(system.upgrade()?.metadata.annotations).toBeUndefined();
  expect(system.works().map(({ metadata }) => metadata.labels?.["hubrelay.dev/attempt"])).toEqual(["2"]);
  system.report(ended("succeeds"));
  await system.settle();
  expect(system.condition()).toContain("PrecachingCompleted");
  expect(system.records().sno1).toMatchObject({ attempt: 2, state: "Succeeded" });
  expect(system.jobs.get("sno2")).toHaveLength(1);
});

test("When another content is planned, the earlier runs should be replaced by runs of the new revision", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2"]));
  await system.settle();
  system.report(running(0.5), ["sno1"]);
  system.report(ended("succeeds"), ["sno2"]);
  await system.settle();
  const [earlier] = system.works("sno1");
  system.plan(aPlannedUpgrade(["sno1", "sno2"], { platformImage: "quay.io/other/release@sha256:1" }));
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Starting", sno2: "Starting" });
  expect(system.works("sno1").map(({ metadata }) => metadata.name)).not.toContain(earlier?.metadata.name);
  expect(system.works()).toHaveLength(2);
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
