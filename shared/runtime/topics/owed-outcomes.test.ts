import { expect, test } from "vitest";
import { anOutcome, refusingTopic } from "../../../test/support/messages/refusing-topic.ts";
import { owedOutcomes } from "./owed-outcomes.ts";

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

test("When an outcome is too large for the topic, others should still be published", async () => {
  const behind = refusingTopic();
  const topic = owedOutcomes(behind);
  behind.refuses = "TooLarge";
  await expect(topic.publish([anOutcome("large")])).rejects.toThrow("TooLarge");
  behind.refuses = undefined;
  await topic.publish([anOutcome("a")]);
  expect(behind.requests).toEqual([["large"], ["a"]]);
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
