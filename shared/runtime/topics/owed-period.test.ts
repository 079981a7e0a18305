import { expect, test } from "vitest";
import type { OutcomeTopic } from "../../ports/outcome-topic.ts";
import { owedPeriod } from "./owed-period.ts";

const minute = 60_000;

test("When publications fail, outcomes should be owed since the first of them, until none can be left", async () => {
  const clock = { ms: Date.parse("2026-03-01T02:00:00Z") };
  let isAway = true;
  const topic: OutcomeTopic = {
    async publish() {
      if (isAway) throw new Error("the server is away");
    },
  };
  const owed = owedPeriod(topic, () => new Date(clock.ms));
  expect(owed.owedSince()).toBeUndefined();
  const since = new Date(clock.ms);
  for (const _ of [1, 2, 3]) {
    await expect(owed.topic.publish([])).rejects.toThrow("away");
    clock.ms += 20 * minute;
  }
  isAway = false;
  await owed.topic.publish([]);
  expect(owed.owedSince()).toEqual(since);
  clock.ms += 9 * minute;
  expect(owed.owedSince()).toEqual(since);
  clock.ms += 2 * minute;
  expect(owed.owedSince()).toBeUndefined();
});
