import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../../precache/precache-system.ts";
import { aWindow, passUntil, pulling, until } from "../../precache/precache-windows.ts";
import type { Recorder, Story } from "../story.ts";

/** Advances the clock to this moment, where a tick names every window; only this function handles it. */
async function tickAt(system: PrecacheSystem, instant: string): Promise<void> {
  system.queues.get(maintenanceWindow.queue)?.splice(0);
  passUntil(system, instant);
  system.tick();
  await system.step(maintenanceWindow, { batchSize: 10 });
}

/** An upgrade of two clusters, one at a time, at this moment; its window is open from one to three o'clock. */
async function aNight(trace: Recorder, instant: string): Promise<PrecacheSystem> {
  const system = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    system.hub.put(aWindow("night"));
    system.plan(aPlannedUpgrade(["sno1", "sno2"], { maxConcurrency: 1 }));
    await until(system, instant);
  });
  return system;
}

async function createdWhileOpen(trace: Recorder) {
  trace.scenario("A window is created while its schedule is open");
  const system = precacheSystem(undefined, undefined, trace.around);
  await trace.unrecorded(async () => {
    system.plan(
      aPlannedUpgrade(["sno1", "sno2"], { annotations: { "hubrelay.dev/maintenance-window": "night" } }),
    );
    await system.settle();
  });
  system.hub.put(aWindow("night"));
  await system.step(maintenanceWindow, { batchSize: 10 });
  return system;
}

async function opening(trace: Recorder) {
  trace.scenario("Its opening");
  const system = await aNight(trace, "2026-03-01T12:00:00Z");
  await tickAt(system, "2026-03-02T01:00:00Z");

  trace.scenario("The ticks after it: a cluster has started, then nothing has changed");
  await trace.unrecorded(() => system.settle());
  await tickAt(system, "2026-03-02T01:01:00Z");
  await trace.unrecorded(() => system.settle());
  await tickAt(system, "2026-03-02T01:02:00Z");
  return system;
}

async function closing(trace: Recorder) {
  trace.scenario("Its closing, while a Job runs");
  const system = await aNight(trace, "2026-03-02T01:00:00Z");
  system.report(pulling);
  await trace.unrecorded(() => system.settle());
  await tickAt(system, "2026-03-02T03:00:00Z");
  return system;
}

async function invalidDuration(trace: Recorder) {
  trace.scenario("A window whose duration is invalid");
  const system = precacheSystem(undefined, undefined, trace.around);
  system.hub.put(aWindow("night", { duration: "0h" }));
  await system.step(maintenanceWindow, { batchSize: 10 });
  return system;
}

export const maintenanceWindowStory: Story = {
  controller: maintenanceWindow,
  introduction:
    "Clock and windows become the status of each MaintenanceWindow, and hints about the clusters that it affects.",
  scenarios: [createdWhileOpen, opening, closing, invalidDuration],
};
