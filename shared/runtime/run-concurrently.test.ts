import { expect, test } from "vitest";
import { runConcurrently } from "./run-concurrently.ts";

test("When there is more work than may be under way, it should begin in order and never be more at once", async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await runConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    underWay--;
  });
  expect({ begun, most }).toEqual({ begun: [1, 2, 3, 4, 5, 6, 7], most: 3 });
});

test("When one fails, nothing more should begin, and the failure be told once the others have ended", async () => {
  const ended: number[] = [];
  const slow = Promise.withResolvers<void>();
  const all = runConcurrently([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) throw new Error("the first is broken");
    await slow.promise;
    ended.push(item);
  });
  slow.resolve();
  await expect(all).rejects.toThrow("the first is broken");
  expect(ended).toEqual([2]);
});
