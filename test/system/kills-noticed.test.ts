import { expect, test } from "vitest";
import { aClusterVersion, anImageConfig, aPool } from "../support/hub/objects.ts";
import { directoryUnderTest } from "../support/kills/directory-under-test.ts";
import { embedded, killRun } from "../support/kills/kill-run.ts";

test("When the queue server loses its messages with a kill, and nothing sends them again, kills should leave another content", async () => {
  await using stack = new AsyncDisposableStack();
  const objects = [anImageConfig(), aClusterVersion(), aPool("worker")];
  const run = await killRun(await directoryUnderTest(stack, objects), {
    // The first one that loses the message about an edit ends the run.
    kills: 20,
    together: ["worker a", "worker b", "queue server"],
    queueServer: { ...embedded, isForgetful: true },
    patienceMs: 5_000,
  });
  expect(run.missing).toBe(run.edits);
  expect(run.result).not.toEqual(run.clean);
});
