import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, until, windowStatus } from "../support/precache/precache-windows.ts";

test("When a fleet progresses between two ticks, a window's status should stay small, and be written at most once a tick", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night"));
  const clusters = Array.from({ length: 1_000 }, (_, index) => `cluster-with-a-long-name-${index}`);
  system.plan(aPlannedUpgrade(clusters, { maxConcurrency: 100 }));
  const writes = () => system.count("update-status MaintenanceWindow");
  const reads = () => system.count("list PreCachingConfig");
  await until(system, "2026-03-02T00:59:00Z");
  const before = writes();
  for (let minute = 0; minute < 5; minute++) {
    const [written, readsBefore] = [writes(), reads()];
    await until(system, `2026-03-02T01:0${minute}:00Z`);
    // The forwarder returns its own write as an update, and another process may get it.
    const window = system.hub.find(kinds.MaintenanceWindow, "night", "default");
    if (window) system.hub.put(window);
    system.report(ended("succeeds"));
    await system.settle();
    expect(writes() - written).toBeLessThanOrEqual(1);
    expect(reads() - readsBefore).toBeLessThanOrEqual(1);
  }
  expect(writes() - before).toBeGreaterThan(1);
  const status = windowStatus(system, "night");
  expect(status.inside + status.waiting).toBeGreaterThan(500);
  expect(status.waitingClusters).toHaveLength(10);
  expect(JSON.stringify(status).length).toBeLessThan(2_000);
  const written = writes();
  await until(system, "2026-03-02T01:05:00Z");
  system.tick();
  system.tick();
  await system.settle();
  expect(writes() - written).toBeLessThanOrEqual(1);
});
