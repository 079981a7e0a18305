import { expect, test } from "vitest";
import { ended, running } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

const fleet = (count: number) => Array.from({ length: count }, (_, index) => `sno${index + 1}`);

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
