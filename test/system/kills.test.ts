import { expect, test } from "vitest";
import { aClusterVersion, anImageConfig, aPool } from "../support/hub/objects.ts";
import { directoryUnderTest } from "../support/kills/directory-under-test.ts";
import { figuresOf, killRun } from "../support/kills/kill-run.ts";
import { times } from "../support/setup/soak.ts";

const kills = times({ ci: 20, soak: 200 });

test(`When processes are killed ${kills} times at random, the hub should end with the content of a clean run`, async () => {
  await using stack = new AsyncDisposableStack();
  const objects = [anImageConfig(), aClusterVersion(), aPool("worker"), aPool("master")];
  const run = await killRun(await directoryUnderTest(stack, objects), {
    name: "processes that are killed",
    kills,
  });
  console.log(figuresOf(run));
  expect(run.missing).toBeUndefined();
  expect(run.result).toEqual(run.clean);
  // A message may be received too often, since each kill and each late deletion counts; the result lacks no change.
  expect(run.refused).toEqual([]);
  const killed = ["forwarder", "queue connection", "queue server", "worker a", "worker b"];
  expect(Object.keys(run.kills).sort()).toEqual(killed);
  expect(run.waits).toHaveLength(run.edits);
}, 3_600_000);
