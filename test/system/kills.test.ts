import { expect, test } from "vitest";
import { times } from "../cluster/support/soak.ts";
import { directoryUnderTest } from "../support/kills/directory-under-test.ts";
import { figuresOf, killRun } from "../support/kills/kill-run.ts";
import { aClusterVersion, anImageConfig, aPool } from "../support/objects.ts";

const kills = times({ ci: 20, soak: 200 });
/** How often lost events are repeated: nothing may wait longer, and here nothing repeats them. */
const resyncMs = 5 * 60_000;

test(`When processes are killed ${kills} times at random, the hub should hold in the end what a clean run gives`, async () => {
  await using stack = new AsyncDisposableStack();
  const objects = [anImageConfig(), aClusterVersion(), aPool("worker"), aPool("master")];
  const run = await killRun(await directoryUnderTest(stack, objects), { kills, seed: 1 });
  console.log(figuresOf(run));
  expect(run.result).toEqual(run.clean);
  expect(Object.keys(run.kills).sort()).toEqual(["forwarder", "queue server", "worker a", "worker b"]);
  expect(run.waits).toHaveLength(run.edits);
  expect(run.waits.at(-1)).toBeLessThan(resyncMs);
}, 3_600_000);
