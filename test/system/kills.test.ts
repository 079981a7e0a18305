import { expect, test } from "vitest";
import { killRun } from "../support/kills/kill-run.ts";

/** How often lost events are repeated: nothing may wait longer, and here nothing repeats them. */
const resyncMs = 5 * 60_000;

test("When processes are killed again and again, the hub should hold in the end what a clean run gives", async () => {
  const run = await killRun({ kills: 20, seed: 1 });
  expect(run.result).toEqual(run.clean);
  expect(Object.values(run.kills).reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(Object.keys(run.kills).sort()).toEqual(["forwarder", "queue server", "worker a", "worker b"]);
  expect(run.waits).toHaveLength(run.edits);
  expect(run.waits.at(-1)).toBeLessThan(resyncMs);
}, 240_000);
