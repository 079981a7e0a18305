import { expect, test } from "vitest";
import { anOutcome, refusingTopic } from "../../../test/support/messages/refusing-topic.ts";
import { owedPeriod } from "./owed-period.ts";

const minute = 60_000;

function owing() {
  const clock = { ms: Date.parse("2026-03-01T02:00:00Z") };
  const behind = refusingTopic();
  behind.refuses = "PublishFailed";
  return { clock, behind, ...owedPeriod(behind, () => new Date(clock.ms)) };
}

test("When publications fail, outcomes should be owed since the first of them, until all are accepted", async () => {
  const { clock, behind, topic, owedSince } = owing();
  expect(owedSince()).toBeUndefined();
  const since = new Date(clock.ms);
  for (const subject of ["a", "b", "a"]) {
    await expect(topic.publish([anOutcome(subject)])).rejects.toThrow("PublishFailed");
    clock.ms += 20 * minute;
  }
  behind.refuses = undefined;
  await topic.publish([anOutcome("a"), anOutcome("c")]);
  expect(owedSince()).toEqual(since);
  await topic.publish([anOutcome("b")]);
  expect(owedSince()).toBeUndefined();
});

test("When an outcome is published no more, it should be owed until its last retry is over", async () => {
  const { clock, topic, owedSince } = owing();
  const since = new Date(clock.ms);
  await expect(topic.publish([anOutcome("a")])).rejects.toThrow("PublishFailed");
  clock.ms += 30 * minute;
  expect(owedSince()).toEqual(since);
  clock.ms += minute;
  expect(owedSince()).toBeUndefined();
});
