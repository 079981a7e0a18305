import { expect, test } from "vitest";
import { type OutcomeEvent, outcomeEvent } from "../domain/events/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError } from "../ports/outcome-topic.ts";
import { severalTopics } from "./several-topics.ts";

const anEvent = (subject: string) =>
  outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source: "urn:test:hub",
    subject,
    from: "",
    at: "2026-03-01T02:00:00Z",
    data: {},
  });

/** A topic that refuses while it is down. */
function aTopic(): OutcomeTopic & { down?: OutcomeTopicError["code"] | undefined; accepted: string[] } {
  const topic = {
    down: undefined as OutcomeTopicError["code"] | undefined,
    accepted: [] as string[],
    async publish(events: readonly OutcomeEvent[]) {
      if (topic.down) throw new OutcomeTopicError(topic.down, topic.down);
      topic.accepted.push(...events.map(({ subject }) => subject));
    },
  };
  return topic;
}

test("When one topic refuses, the others should get each event once, and it when it is back", async () => {
  const [one, other] = [aTopic(), aTopic()];
  const both = severalTopics([one, other]);
  one.down = "PublishFailed";
  for (const subjects of [["a"], ["a", "b"]])
    await expect(both.publish(subjects.map(anEvent))).rejects.toMatchObject({ code: "PublishFailed" });
  one.down = undefined;
  await both.publish([anEvent("a"), anEvent("b")]);
  expect(other.accepted).toEqual(["a", "b"]);
  expect(one.accepted).toEqual(["a", "b"]);
});

test("When all have accepted an event, it should be possible to publish it again", async () => {
  const topics = [aTopic(), aTopic()];
  const both = severalTopics(topics);
  for (let time = 0; time < 2; time++) await both.publish([anEvent("a")]);
  expect(topics.map(({ accepted }) => accepted)).toEqual([
    ["a", "a"],
    ["a", "a"],
  ]);
});

test("When one error passes and another does not, the publication should be repeated", async () => {
  const [gone, busy] = [aTopic(), aTopic()];
  gone.down = "TopicMissing";
  busy.down = "PublishFailed";
  await expect(severalTopics([gone, busy]).publish([anEvent("a")])).rejects.toMatchObject({
    code: "PublishFailed",
  });
});

test("When a topic is slow, the others should have the event before it", async () => {
  const slow = Promise.withResolvers<void>();
  const fast = aTopic();
  const publishing = severalTopics([{ publish: () => slow.promise }, fast]).publish([anEvent("a")]);
  await expect.poll(() => fast.accepted).toEqual(["a"]);
  slow.resolve();
  await publishing;
});
