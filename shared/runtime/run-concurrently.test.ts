import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { runConcurrently } from "./run-concurrently.ts";

test("When there is more work than the concurrency, it should start in order and never exceed it", async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await runConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++underWay);
    await setImmediate();
    underWay--;
  });
  expect({ begun, most }).toEqual({ begun: [1, 2, 3, 4, 5, 6, 7], most: 3 });
});

test("When one fails, nothing more should start, and the failure be thrown once the others have ended", async () => {
  const ended: number[] = [];
  const started = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  const all = runConcurrently([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) {
      await started.promise;
      failed.resolve();
      throw new Error("the first is broken");
    }
    started.resolve();
    await failed.promise;
    await setImmediate();
    ended.push(item);
  });
  await expect(all).rejects.toThrow("the first is broken");
  expect(ended).toEqual([2]);
});
