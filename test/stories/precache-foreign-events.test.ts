import { expect, test } from "vitest";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { ended, running } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

/** An upgrade whose clusters have started, and afterwards events from a source that sends bare references. */
async function started(clusters: readonly string[]) {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(clusters));
  await system.settle();
  system.forward(false);
  return system;
}

test("When agents report and an event only names their works, the report should be read at once, without a tick", async () => {
  const system = await started(["sno1", "sno2"]);
  system.report(running(0.5), ["sno1"]);
  system.bare("update", system.works("sno1"));
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Active", sno2: "Starting" });

  system.report(ended("succeeds"), ["sno1"]);
  system.report(ended("fails"), ["sno2"]);
  system.bare("update", system.works());
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "UnrecoverableError" });
  expect(system.condition()).toBe("True PartiallyDone: Precaching failed for 1 clusters");
});

test("When a fleet is named without feedback, its works should be read in one list", async () => {
  const clusters = Array.from({ length: 60 }, (_, index) => `sno${index}`);
  const system = await started(clusters);
  system.report(ended("succeeds"));
  const before = system.count("list ManifestWork");
  system.bare("update", system.works());
  await system.settle();
  expect(Object.values(system.states())).toEqual(clusters.map(() => "Succeeded"));
  expect(system.count("list ManifestWork") - before).toBeLessThanOrEqual(1);
});

test("When a work is gone and an event only names it, the cluster should start again", async () => {
  const system = await started(["sno1", "sno2"]);
  const [work] = system.works("sno1");
  if (!work) throw new Error("sno1 has no work");
  await system.hub.delete(referenceTo(work));
  system.bare("delete", [work]);
  system.forward(true);
  await system.settle();
  expect(system.works("sno1")).toHaveLength(1);
  expect(system.jobs.get("sno1")).toHaveLength(2);
  expect(system.jobs.get("sno2")).toHaveLength(1);
});

test("When a removed work had ended, there should be no further reconcile", async () => {
  const system = await started(["sno1", "sno2"]);
  const [work] = system.works("sno1");
  if (!work) throw new Error("sno1 has no work");
  system.report(ended("succeeds"), ["sno1"]);
  system.bare("update", [work]);
  await system.settle();
  expect(system.works("sno1")).toEqual([]);
  const before = system.count("get ClusterGroupUpgrade");
  system.bare("delete", [work]);
  await system.settle();
  expect(system.count("get ClusterGroupUpgrade")).toBe(before);
});

test("When a ManifestWork does not belong to pre-caching, it should not even be read", () => {
  const { apiVersion, kind } = kinds.ManifestWork;
  const mapToKey = (name: string) => precacheStatus.mapToKey({ apiVersion, kind, namespace: "sno1", name });
  expect(mapToKey("addon-work-manager-deploy-0")).toBeUndefined();
  expect(mapToKey("precache-mine")).toBeUndefined();
  expect(mapToKey("precache-0123456789-abcdef")).toBeDefined();
  expect(mapToKey("precache-0123456789-abcdef-2")).toBe(mapToKey("precache-0123456789-abcdef"));
});
