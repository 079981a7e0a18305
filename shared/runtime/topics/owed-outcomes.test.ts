import { expect, test } from "vitest";
import { anOutcome, refusingTopic } from "../../../test/support/messages/refusing-topic.ts";
import { owedOutcomes, owedPeriod } from "./owed-outcomes.ts";

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

test("When the topic rejects events, they should be published once, with the next ones", async () => {
  const behind = refusingTopic();
  const topic = owedOutcomes(behind);
  behind.refuses = "PublishFailed";
  await expect(topic.publish([anOutcome("a")])).rejects.toThrow("PublishFailed");
  await expect(topic.publish([anOutcome("b"), anOutcome("a")])).rejects.toThrow("PublishFailed");
  behind.refuses = undefined;
  await topic.publish([]);
  await topic.publish([anOutcome("c")]);
  expect(behind.requests).toEqual([["a"], ["a", "b"], ["a", "b"], ["c"]]);
});

test("When two publish at the same time, neither should repeat the other's", async () => {
  const behind = refusingTopic();
  const topic = owedOutcomes(behind);
  await Promise.all([topic.publish([anOutcome("a")]), topic.publish([anOutcome("b")])]);
  expect(behind.requests).toEqual([["a"], ["b"]]);
});

test("When the topic never accepts an event, the others should be published once, and nobody should wait for it", async () => {
  const behind = refusingTopic();
  const topic = owedOutcomes(behind);
  behind.refuses = "PublishFailed";
  behind.refused = ["poison"];
  await expect(topic.publish([anOutcome("poison"), anOutcome("a")])).rejects.toThrow("PublishFailed");
  await topic.publish([anOutcome("b")]);
  await topic.publish([anOutcome("c")]);
  expect(behind.accepted).toEqual(["a", "b", "c"]);
  expect(behind.requests.at(-1)).toEqual(["poison", "c"]);
});

test("When an outcome is too large for the topic, those that it owes should not be forgotten", async () => {
  const behind = refusingTopic();
  const topic = owedOutcomes(behind);
  behind.refuses = "PublishFailed";
  await expect(topic.publish([anOutcome("a")])).rejects.toThrow("PublishFailed");
  behind.refuses = "TooLarge";
  behind.refused = ["large"];
  await expect(topic.publish([anOutcome("large")])).rejects.toThrow("TooLarge");
  expect(behind.accepted).toEqual(["a"]);
});
