import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";
import {
  aWindow,
  isSuspended,
  pulling,
  suspended,
  until,
  windowStatus,
} from "../support/precache/precache-windows.ts";

test("When hubrelay is upgraded while a Job runs, the work should keep the Job that it was created with", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night"));
  system.plan(aPlannedUpgrade(["sno1"]));
  await until(system, "2026-03-02T01:00:00Z");
  const templates = () =>
    system.works().flatMap(({ spec }) =>
      Object(spec)
        .workload.manifests.filter(({ kind }: KubernetesObject) => kind === "Job")
        .map((job: KubernetesObject) => Object(job.spec).template),
    );
  const [work] = system.works().map((one) => structuredClone(one));
  if (!work) throw new Error("there is no work");
  // A template is immutable once its Job exists, and this one is not what hubrelay would create today.
  for (const manifest of Object(work.spec).workload.manifests)
    if (manifest.kind === "Job") delete manifest.spec.template.spec.containers[0].resources;
  system.hub.put(work);
  const earlier = templates();
  system.report(pulling);
  await until(system, "2026-03-02T03:00:00Z");
  system.report(suspended);
  await until(system, "2026-03-02T12:00:00Z");
  system.resync();
  await until(system, "2026-03-03T01:00:00Z");
  expect(system.works().map(isSuspended)).toEqual([false]);
  expect(templates()).toEqual(earlier);
  expect(system.jobs.get("sno1")).toHaveLength(1);
});

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
