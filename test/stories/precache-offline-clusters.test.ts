import { expect, test } from "vitest";
import { ended, running, suspended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

const fleet = (count: number) => Array.from({ length: count }, (_, index) => `sno${index + 1}`);

test("When clusters that released their slots return together, they should wait for slots, so that the limit holds", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(fleet(4), { maxConcurrency: 2 }));
  await system.settle();
  expect(Object.keys(system.states()).sort()).toEqual(["sno1", "sno2"]);
  system.pass(95);
  await system.settle();
  expect(system.states()).toEqual({ sno3: "Starting", sno4: "Starting" });
  expect(system.mayRun()).toEqual(["sno3", "sno4"]);

  system.report(suspended, ["sno1", "sno2"]);
  system.report(running(0.5), ["sno3", "sno4"]);
  await system.settle();
  expect(system.states()).toEqual({ sno3: "Active", sno4: "Active" });
  expect(system.records().sno1).toMatchObject({ state: "NotStarted", reason: "Returned" });
  expect(system.mayRun()).toEqual(["sno3", "sno4"]);

  system.report(ended("succeeds"), ["sno3"]);
  await system.settle();
  expect(system.mayRun()).toEqual(["sno1", "sno4"]);
  system.report(running(0.1), ["sno1"]);
  await system.settle();
  expect(system.states()).toEqual({ sno1: "Active", sno3: "Succeeded", sno4: "Active" });
  system.report(ended("succeeds"), ["sno1", "sno4"]);
  await system.settle();
  expect(system.mayRun()).toEqual(["sno2"]);
  system.report(ended("succeeds"), ["sno2"]);
  await system.settle();
  expect(system.condition()).toContain("PrecachingCompleted");
  for (const cluster of fleet(4)) expect(system.jobs.get(cluster)).toHaveLength(1);
});
