import { describe, expect, test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { interceptedPorts } from "../../support/faults/intercepted-ports.ts";
import { aPlannedUpgrade, precacheSystem } from "../../support/precache/precache-system.ts";
import {
  aWindow,
  isSuspended,
  passUntil,
  pulling,
  windowStatus,
} from "../../support/precache/precache-windows.ts";
import { countRun } from "../../support/setup/soak.ts";

const minuteMs = 60_000;

/** The functions of an upgrade whose window is open from one to three, each in a process whose clock can jump. */
function aSystem({ sendsTime = true } = {}) {
  const clock = { aheadMs: 0, reads: 0, jumpsAtRead: Number.POSITIVE_INFINITY, byMs: 0 };
  const system = precacheSystem(undefined, undefined, (ports) => {
    const own = {
      ...ports,
      hub: sendsTime ? { ...ports.hub, time: ports.now } : ports.hub,
      now: () => new Date(ports.now().getTime() + clock.aheadMs),
    };
    return interceptedPorts(own, {
      write: (_what, work) => work(),
      async read(work) {
        const result = await work();
        if (++clock.reads === clock.jumpsAtRead) clock.aheadMs += clock.byMs;
        return result;
      },
    });
  });
  system.hub.put(aWindow("night"));
  system.plan(aPlannedUpgrade(["sno1"]));
  const step = async (controller: Parameters<typeof system.step>[0]) =>
    void (await system.step(controller, { batchSize: 10 }));
  return {
    ...system,
    clock,
    /** What happens in the minute that begins then. */
    async minuteAt(instant: string): Promise<void> {
      passUntil(system, instant);
      system.tick();
      system.resync();
      for (const controller of [maintenanceWindow, precacheStatus, precacheCluster, precacheStatus])
        await step(controller);
    },
    found: () => ({
      states: system.states(),
      jobs: system.works().map(isSuspended),
      isOpen: windowStatus(system, "night")?.open,
    }),
  };
}

type System = ReturnType<typeof aSystem>;

/** Runs a case for a jump after each of the reads, until there are no more. */
async function afterEachRead(
  byMs: number,
  start: () => Promise<System>,
  then: (system: System) => Promise<void>,
): Promise<void> {
  for (let read = 1; ; read++) {
    countRun("a clock that jumps after a read");
    const system = await start();
    Object.assign(system.clock, { reads: 0, jumpsAtRead: read, byMs });
    await then(system);
    if (system.clock.reads < read) {
      expect(read).toBeGreaterThan(10);
      return;
    }
  }
}

const closed = { states: {}, jobs: [], isOpen: false };

async function beforeOpening(options: Parameters<typeof aSystem>[0] = {}): Promise<System> {
  const system = aSystem(options);
  await system.minuteAt("2026-03-02T00:10:00Z");
  expect(system.found()).toEqual(closed);
  return system;
}

async function whilePulling(): Promise<System> {
  const system = aSystem();
  await system.minuteAt("2026-03-02T02:50:00Z");
  system.report(pulling);
  await system.minuteAt("2026-03-02T02:51:00Z");
  expect(system.found()).toEqual({ states: { sno1: "Active" }, jobs: [false], isOpen: true });
  return system;
}

describe("a clock that jumps while processes run", () => {
  test("When it jumps into an opening, nothing should start, the window say why, and open when the clock is right", async () => {
    await afterEachRead(55 * minuteMs, beforeOpening, async (system) => {
      await system.minuteAt("2026-03-02T00:11:00Z");
      const isWrong = system.clock.aheadMs !== 0;
      await system.minuteAt("2026-03-02T00:12:00Z");
      expect(system.found()).toEqual(closed);
      if (isWrong)
        expect(windowStatus(system, "night").conditions).toMatchObject([
          {
            type: "Ready",
            status: "False",
            reason: "ClockDiffers",
            message: "hubrelay's clock is more than 60 s ahead of the hub's: no maintenance window opens.",
          },
        ]);
      system.clock.byMs = 0;
      system.clock.aheadMs = 0;
      await system.minuteAt("2026-03-02T01:00:00Z");
      expect(system.found()).toMatchObject({ jobs: [false], isOpen: true });
      expect(windowStatus(system, "night").conditions).toMatchObject([{ type: "Ready", status: "True" }]);
    });
  });

  test.for([
    { minutes: 130, what: "past the end" },
    { minutes: -130, what: "to before the beginning" },
  ])(
    "When it jumps $what of an opening, what runs should go on until the hub's time is past the end",
    async ({ minutes }) => {
      await afterEachRead(minutes * minuteMs, whilePulling, async (system) => {
        await system.minuteAt("2026-03-02T02:58:00Z");
        await system.minuteAt("2026-03-02T02:59:00Z");
        expect(system.found()).toMatchObject({ jobs: [false], isOpen: true });
        await system.minuteAt("2026-03-02T03:00:00Z");
        await system.minuteAt("2026-03-02T03:01:00Z");
        expect(system.found()).toMatchObject({ jobs: [true], isOpen: false });
      });
    },
  );
});
