import fc from "fast-check";
import { expect, test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { interceptedPorts } from "../../support/faults/intercepted-ports.ts";
import { aPlannedUpgrade, precacheSystem } from "../../support/precache/precache-system.ts";
import { aWindow, passUntil } from "../../support/precache/precache-windows.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const all = { batchSize: 10 };

/** Seconds in which the window closes, and the Lease and the visibility of the message end. */
const pauses = [600, ...drawn("pauses", { ci: 1, soak: 50 }, fc.integer({ min: 61, max: 48 * 3600 }))];

/**
 * A process that starts a cluster is paused after this read, until the window has closed. Its clock may stand still
 * meanwhile, so that it does not know of the pause.
 */
async function pausedAfter(read: number, seconds: number, { isNoticed = true } = {}) {
  let reads = 0;
  const system = precacheSystem(undefined, undefined, (ports, { name }) => {
    const began = ports.now();
    const own = isNoticed ? ports : { ...ports, now: () => began };
    return name === precacheCluster.name
      ? interceptedPorts(own, {
          write: (_what, work) => work(),
          async read(work) {
            const result = await work();
            if (++reads === read) {
              system.pass(seconds);
              await follow();
            }
            return result;
          },
        })
      : ports;
  });
  /** The other functions follow the clock. */
  async function follow(): Promise<void> {
    system.tick();
    system.resync();
    await system.step(maintenanceWindow, all);
    await system.step(precacheStatus, all);
  }
  system.hub.put(aWindow("night"));
  system.plan(aPlannedUpgrade(["sno1"]));
  passUntil(system, "2026-03-01T02:59:30Z");
  await follow();
  expect(system.states()).toEqual({ sno1: "PreparingToStart" });
  await system.step(precacheCluster, all);
  return { system, isPaused: reads >= read };
}

test.for(pauses)(
  "When a process is paused after any of its reads for %i s until the window has closed, it should start no cluster",
  async (seconds) => {
    for (let read = 1; ; read++) {
      countRun("a process paused after a read");
      const { system, isPaused } = await pausedAfter(read, seconds);
      if (!isPaused) {
        expect(read).toBeGreaterThan(3);
        expect(system.works()).toHaveLength(1);
        return;
      }
      expect(system.works(), `paused after read ${read}`).toEqual([]);
    }
  },
);

test("When a process did not know that it was paused, it should start a cluster outside its window", async () => {
  for (let read = 1; ; read++) {
    const { system, isPaused } = await pausedAfter(read, 600, { isNoticed: false });
    if (!isPaused) expect.fail("the time since the reads makes no difference");
    if (system.works().length > 0) return;
  }
});
