import { expect, test } from "vitest";
import { anOutcome, refusingTopic } from "../../../test/support/messages/refusing-topic.ts";
import { severalTopics } from "./several-topics.ts";

test("When one topic refuses, the others should get each event once, and it when it is back", async () => {
  const [one, other] = [refusingTopic(), refusingTopic()];
  const both = severalTopics([one, other]);
  one.refuses = "PublishFailed";
  for (const subjects of [["a"], ["a", "b"]])
    await expect(both.publish(subjects.map((subject) => anOutcome(subject)))).rejects.toMatchObject({
      code: "PublishFailed",
    });
  one.refuses = undefined;
  await both.publish([anOutcome("a"), anOutcome("b")]);
  expect(other.accepted).toEqual(["a", "b"]);
  expect(one.accepted).toEqual(["a", "b"]);
});

test("When one error passes and another does not, the publication should be repeated", async () => {
  const [gone, busy] = [refusingTopic(), refusingTopic()];
  gone.refuses = "TooLarge";
  busy.refuses = "PublishFailed";
  await expect(severalTopics([gone, busy]).publish([anOutcome("a")])).rejects.toMatchObject({
    code: "PublishFailed",
  });
});

test("When a topic is slow, the others should have the event before it", async () => {
  const slow = Promise.withResolvers<void>();
  const fast = refusingTopic();
  const publishing = severalTopics([{ publish: () => slow.promise }, fast]).publish([anOutcome("a")]);
  await expect.poll(() => fast.accepted).toEqual(["a"]);
  slow.resolve();
  await publishing;
});

test("When one topic never accepts an event, each should get every other event once", async () => {
  const [one, other] = [refusingTopic(), refusingTopic()];
  const both = severalTopics([one, other]);
  one.refuses = "PublishFailed";
  one.refused = ["poison"];
  const events = ["poison", "a"].map((subject) => anOutcome(subject));
  for (let time = 0; time < 3; time++)
    await expect(both.publish(events)).rejects.toMatchObject({
      code: "PublishFailed",
      accepted: new Set([anOutcome("a").id]),
    });
  expect(one.accepted).toEqual(["a"]);
  expect(other.accepted).toEqual(["poison", "a"]);
});
