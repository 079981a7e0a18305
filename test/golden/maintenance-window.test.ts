import { test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { expectGolden } from "../support/golden/scenarios.ts";
import { goldenTrace } from "../support/golden/trace.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, pulling, until } from "../support/precache/precache-windows.ts";

const trace = goldenTrace(
  "maintenance-window",
  "Clock and windows become the status of each MaintenanceWindow, and hints about the clusters that it affects.",
);

/** Advances the clock to this moment, where a tick names every window; only this function handles it. */
async function tickAt(system: PrecacheSystem, instant: string): Promise<void> {
  system.queues.get(maintenanceWindow.queue)?.splice(0);
  system.pass((Date.parse(instant) - system.now().getTime()) / 1000);
  system.tick();
  await system.step(maintenanceWindow, { batchSize: 10 });
}

/** An upgrade of two clusters, one at a time, at this moment; its window is open from one to three o'clock. */
async function aNight(instant: string): Promise<PrecacheSystem> {
  const system = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    system.hub.put(aWindow("night"));
    system.plan(aPlannedUpgrade(["sno1", "sno2"], { maxConcurrency: 1 }));
    await until(system, instant);
  });
  return system;
}

test("When maintenance-window gets ticks, it should do what maintenance-window.md shows", async () => {
  trace.scenario("A window is created while its schedule is open");
  const fresh = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    fresh.plan(
      aPlannedUpgrade(["sno1", "sno2"], { annotations: { "hubrelay.dev/maintenance-window": "night" } }),
    );
    await fresh.settle();
  });
  fresh.hub.put(aWindow("night"));
  await fresh.step(maintenanceWindow, { batchSize: 10 });

  trace.scenario("Its opening");
  const opening = await aNight("2026-03-01T12:00:00Z");
  await tickAt(opening, "2026-03-02T01:00:00Z");

  trace.scenario("The ticks after it: a cluster has started, then nothing has changed");
  await trace.unrecorded(() => opening.settle());
  await tickAt(opening, "2026-03-02T01:01:00Z");
  await trace.unrecorded(() => opening.settle());
  await tickAt(opening, "2026-03-02T01:02:00Z");

  trace.scenario("Its closing, while a Job runs");
  const closing = await aNight("2026-03-02T01:00:00Z");
  closing.report(pulling);
  await trace.unrecorded(() => closing.settle());
  await tickAt(closing, "2026-03-02T03:00:00Z");

  trace.scenario("A window whose duration is invalid");
  const invalid = precacheSystem(undefined, undefined, trace.around);
  invalid.hub.put(aWindow("night", { duration: "0h" }));
  await invalid.step(maintenanceWindow, { batchSize: 10 });
  await expectGolden(trace);
});
