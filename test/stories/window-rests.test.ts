import { expect, test } from "vitest";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, isSuspended, pulling, suspended, until } from "../support/precache/precache-windows.ts";

/** At 10 Mbit/s 9 GB are two hours, which is a whole opening. */
const bytesTotal = "9000000000";
const progressOf = (bytesDone: number) => ({ bytesTotal, bytesDone: String(bytesDone * 1_000_000) });

/** The clusters whose Job exists and is not to be suspended. */
const going = (system: PrecacheSystem) =>
  system.works().flatMap((work) => (isSuspended(work) ? [] : [work.metadata.namespace]));

test("When a remaining download is longer than any opening, it should continue from night to night", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night", { duration: "1h" }));
  const clusters = Array.from({ length: 12 }, (_, index) => `sno${index}`);
  const annotations = { "hubrelay.dev/bandwidth": "10" };
  system.plan(aPlannedUpgrade(clusters, { annotations, maxConcurrency: 1 }));
  await until(system, "2026-03-02T01:00:00Z");
  expect(going(system)).toEqual(["sno0"]);

  // One image more arrives in each night.
  for (const [night, megabytes] of [4_000, 8_000].entries()) {
    await until(system, `2026-03-0${night + 2}T01:00:30Z`);
    expect(going(system)).toEqual(["sno0"]);
    system.report({ ...pulling, progress: progressOf(megabytes) });
    await system.settle();
    await until(system, `2026-03-0${night + 2}T02:00:00Z`);
    system.report({ ...suspended, progress: progressOf(megabytes) });
    await system.settle();
    await until(system, `2026-03-0${night + 2}T02:01:00Z`);
    expect(going(system)).toEqual([]);
  }
});
