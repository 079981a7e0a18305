import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { checkRunOf } from "#shared/domain/precache-model/work-identity.ts";
import { checked, ended, running } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, until } from "../support/precache/precache-windows.ts";

const beforeDay = { "hubrelay.dev/check-before": "24h" };
/** The window of the rollout; pre-caching is not restricted. */
const inRollout = { ...beforeDay, "hubrelay.dev/enable-after-precaching": "window=rollout" };
const rollout = () => aWindow("rollout", { schedule: "0 1 5 3 *", clusterSelector: undefined });

/** A fleet that has been pre-cached on 1 March at two o'clock, with a rollout on 5 March at one o'clock. */
async function aCachedFleet(
  clusters: readonly string[] = ["sno1", "sno2"],
  annotations: Readonly<Record<string, string>> = inRollout,
  window = rollout(),
): Promise<PrecacheSystem> {
  const system = precacheSystem();
  system.hub.put(window);
  system.plan(aPlannedUpgrade(clusters, { annotations }));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle();
  return system;
}

const checksOf = (system: PrecacheSystem) =>
  Object.fromEntries(Object.entries(system.records()).map(([cluster, { check }]) => [cluster, check]));
const checkWorks = (system: PrecacheSystem) => system.works().filter((work) => checkRunOf(work));
const outcomesAbout = (system: PrecacheSystem, what: string) =>
  system.outcomes.filter(({ type }) => type === `dev.hubrelay.precache.${what}`);

test("When images are garbage collected before an opening, they should be found and pulled again", async () => {
  const system = await aCachedFleet();
  await until(system, "2026-03-04T00:59:00Z");
  expect(checkWorks(system)).toEqual([]);
  await until(system, "2026-03-04T01:00:00Z");
  expect(checkWorks(system).map(({ metadata }) => metadata.namespace)).toEqual(["sno1", "sno2"]);
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "Succeeded" });

  system.pass(60);
  system.reportCheck(checked(3), ["sno1"]);
  system.reportCheck(checked(0), ["sno2"]);
  await system.settle();
  expect(checkWorks(system)).toEqual([]);
  const common = { started: "2026-03-04T01:00:00Z", attempt: 1, opening: "2026-03-05T01:00:00Z" };
  const result = { ...common, checked: "2026-03-04T01:01:00Z", imagesTotal: 190 };
  expect(checksOf(system)).toEqual({
    sno1: { ...result, imagesPresent: 187, message: expect.stringContaining("quay.io/app/part0") },
    sno2: { ...result, imagesPresent: 190 },
  });
  expect(outcomesAbout(system, "images-missing").map(({ subject }) => subject)).toEqual([
    "default/upgrade/sno1",
  ]);
  expect(system.states()).toEqual({ sno1: "Starting", sno2: "Succeeded" });
  expect(system.condition()).toContain("InProgress");

  system.report(running(0.9), ["sno1"]);
  await system.settle();
  system.report(ended("succeeds"), ["sno1"]);
  await system.settle();
  expect(system.condition()).toBe("True PrecachingCompleted: Precaching is completed for all clusters");
  expect(system.records().sno1).toMatchObject({
    state: "Succeeded",
    attempt: 2,
    check: { imagesPresent: 187 },
  });
  for (const hour of ["06", "12", "23"]) await until(system, `2026-03-04T${hour}:00:00Z`);
  expect(system.jobs.get("sno1")).toHaveLength(3);
  expect(system.jobs.get("sno2")).toHaveLength(2);
  expect(system.works()).toEqual([]);
});

test("When a window opens again and again, clusters should be checked once before each opening", async () => {
  const nightly = aWindow("night", { schedule: "0 1 * * 1,3" });
  const system = await aCachedFleet(["sno1"], { "hubrelay.dev/check-before": "1h" }, nightly);
  // Outside its window nothing starts: it is pre-cached in the first opening.
  await until(system, "2026-03-02T01:00:00Z");
  system.report(ended("succeeds"));
  await system.settle();
  for (let hour = 2; hour < 24 * 9; hour++) {
    await until(system, new Date(Date.parse("2026-03-02T00:00:00Z") + hour * 3_600_000).toISOString());
    system.reportCheck(checked(0));
    await system.settle();
  }
  const starts = (system.jobs.get("sno1") ?? [])
    .slice(1)
    .map((name) => Number(name.split("-").at(-1)) * 1000);
  expect(starts.map((time) => new Date(time).toISOString())).toEqual([
    "2026-03-04T00:00:00.000Z",
    "2026-03-09T00:00:00.000Z",
  ]);
});

test("When a check is requested, its result should be recorded beside a success that stays", async () => {
  const system = await aCachedFleet(["sno1", "sno2"], {});
  const request = (value: string) => {
    const cgu = system.upgrade();
    if (cgu)
      system.hub.put({ ...cgu, metadata: { ...cgu.metadata, annotations: { "hubrelay.dev/check": value } } });
  };
  request("sno2");
  await system.settle();
  expect(system.upgrade()?.metadata.annotations ?? {}).toEqual({});
  expect(checkWorks(system).map(({ metadata }) => metadata.namespace)).toEqual(["sno2"]);
  system.reportCheck(checked(2));
  await system.settle();
  expect(checksOf(system)).toMatchObject({ sno1: undefined, sno2: { imagesPresent: 188, imagesTotal: 190 } });
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "Succeeded" });
  expect(outcomesAbout(system, "images-missing")).toHaveLength(1);

  system.pass(60);
  request("all");
  await system.settle();
  expect(checkWorks(system)).toHaveLength(2);
  system.reportCheck(checked(0));
  await system.settle();
  expect(checksOf(system)).toMatchObject({ sno1: { imagesPresent: 190 }, sno2: { imagesPresent: 190 } });
  expect(outcomesAbout(system, "images-missing")).toHaveLength(1);
  expect(outcomesAbout(system, "finished")).toHaveLength(1);
});

test("When a cluster is unreachable, its check should end without a result, and the cluster should keep its success", async () => {
  const system = await aCachedFleet();
  await until(system, "2026-03-04T01:00:00Z");
  system.reportCheck(checked(0), ["sno2"]);
  await system.settle();
  system.pass(18 * 60);
  await system.settle();
  expect(checksOf(system).sno1).toMatchObject({
    checked: "2026-03-04T01:18:00Z",
    message: "The cluster's agent was unreachable for 15 min.",
  });
  expect(system.states()).toEqual({ sno1: "Succeeded", sno2: "Succeeded" });
  expect(outcomesAbout(system, "images-missing")).toEqual([]);
  await until(system, "2026-03-04T02:00:00Z");
  expect(system.works()).toEqual([]);
  expect(system.jobs.get("sno1")).toHaveLength(2);
});

test("When a retry is requested during a check, the cluster should be pre-cached, and the check should be over", async () => {
  const system = await aCachedFleet(["sno1"]);
  await until(system, "2026-03-04T01:00:00Z");
  const cgu = system.upgrade();
  const annotations = { ...inRollout, "hubrelay.dev/retry": "sno1" };
  if (cgu) system.hub.put({ ...cgu, metadata: { ...cgu.metadata, annotations } });
  await system.settle();
  expect(system.records().sno1).toMatchObject({ state: "Starting", attempt: 2 });
  system.report(ended("succeeds"));
  await system.settle();
  await until(system, "2026-03-04T02:00:00Z");
  system.resync();
  await system.settle();
  expect(system.works()).toEqual([]);
  expect(system.states()).toEqual({ sno1: "Succeeded" });
});

describe("requests to the hub", () => {
  test("When a fleet is checked, each cluster should cost three requests", async () => {
    const clusters = Array.from({ length: 200 }, (_, index) => `sno${index}`);
    const system = await aCachedFleet(clusters);
    const sent = () => [...system.requests.values()].reduce((sum, count) => sum + count, 0);
    const before = sent();
    await until(system, "2026-03-04T01:00:00Z");
    system.reportCheck(checked(0));
    await system.settle();
    expect(Object.values(checksOf(system))).toHaveLength(clusters.length);
    expect(system.works()).toEqual([]);
    expect((sent() - before) / clusters.length).toBeLessThan(3.5);
  });
});

test("However messages are delivered and processes end, no success should be lost without a missing image", async () => {
  const names = ["sno1", "sno2", "sno3"] as const;
  const step = fc.record({
    missing: fc.array(fc.nat(2), { minLength: 3, maxLength: 3 }),
    killedAfter: fc.option(fc.nat(12), { nil: undefined }),
    repeats: fc.boolean(),
    minutes: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const system = await aCachedFleet(names);
      const lost = new Set<string>();
      const expectNoneLost = () => {
        for (const [cluster, state] of names.map((name) => [name, system.states()[name]] as const))
          if (!lost.has(cluster)) expect([cluster, state]).toEqual([cluster, "Succeeded"]);
      };
      await until(system, "2026-03-04T01:00:00Z");
      for (const { missing, killedAfter, repeats, minutes } of steps) {
        for (const [index, name] of names.entries()) {
          const count = missing[index] ?? 0;
          if (count > 0 && checkWorks(system).some(({ metadata }) => metadata.namespace === name))
            lost.add(name);
          system.reportCheck(checked(count), [name]);
        }
        if (repeats) system.resync();
        const disturb = (messages: { reverse(): unknown }) => void messages.reverse();
        for (const controller of system.served)
          await system.step(controller, { batchSize: 2, disturb }, killedAfter);
        expectNoneLost();
        system.pass(minutes * 60);
        system.tick();
        await system.settle({ batchSize: 2, disturb });
        expectNoneLost();
      }
      expect(system.hub.all(kinds.ManifestWork).length).toBeLessThanOrEqual(names.length);
    }),
    { numRuns: 30 },
  );
});
