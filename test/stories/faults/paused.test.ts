import { expect, test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { interceptedPorts } from "../../support/faults/intercepted-ports.ts";
import { aPlannedUpgrade, precacheSystem } from "../../support/precache/precache-system.ts";
import { aWindow, passUntil } from "../../support/precache/precache-windows.ts";

const all = { batchSize: 10 };

/** A process that starts a cluster is paused after this read, for ten minutes in which the window closes. */
async function pausedAfter(read: number) {
  let reads = 0;
  const system = precacheSystem(undefined, undefined, (ports, { name }) =>
    name === precacheCluster.name
      ? interceptedPorts(ports, {
          write: (_what, work) => work(),
          async read(work) {
            const result = await work();
            if (++reads === read) {
              system.pass(600);
              await follow();
            }
            return result;
          },
        })
      : ports,
  );
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

test("When a process is paused after any of its reads until the window has closed, it should start no cluster", async () => {
  for (let read = 1; ; read++) {
    const { system, isPaused } = await pausedAfter(read);
    if (!isPaused) {
      expect(read).toBeGreaterThan(3);
      expect(system.works()).toHaveLength(1);
      return;
    }
    expect(system.works(), `paused after read ${read}`).toEqual([]);
  }
});
