import { expect, test } from "vitest";
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

test("When a work is gone and an event only names it, the cluster should start again with the next tick", async () => {
  const system = await started(["sno1", "sno2"]);
  const [work] = system.works("sno1");
  if (!work) throw new Error("sno1 has no work");
  await system.hub.delete(referenceTo(work));
  system.bare("delete", [work]);
  system.resync();
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

test("When a ManifestWork does not belong to pre-caching, it should not even be read", async () => {
  const system = await started(["sno1"]);
  const [work] = system.works("sno1");
  if (!work) throw new Error("sno1 has no work");
  const named = (name: string) => ({ ...work, metadata: { ...work.metadata, name } });
  const before = system.count("get ManifestWork");
  system.bare("update", [named("addon-work-manager-deploy-0"), named("precache-mine")]);
  await system.settle();
  expect(system.count("get ManifestWork")).toBe(before);
});
