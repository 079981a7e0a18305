import { expect, test } from "vitest";
import { type OutcomeEvent, outcomeEvent } from "../domain/events/outcome-event.ts";
import { OutcomeTopicError } from "../ports/outcome-topic.ts";
import { owedOutcomes } from "./owed-outcomes.ts";

const anOutcome = (subject: string): OutcomeEvent =>
  outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source: "urn:test:hub",
    subject,
    from: "",
    at: "2026-03-01T02:00:00Z",
    data: {},
  });

/** A topic that rejects on demand. */
function aTopic() {
  const state: { rejects?: OutcomeTopicError["code"] } = {};
  const requests: string[][] = [];
  const topic = owedOutcomes({
    publish: async (events) => {
      requests.push(events.map(({ subject }) => subject));
      if (state.rejects) throw new OutcomeTopicError(state.rejects, "rejected");
    },
  });
  return { state, requests, topic };
}

test("When the topic rejects events, they should be published once, with the next ones", async () => {
  const { state, requests, topic } = aTopic();
  state.rejects = "PublishFailed";
  await expect(topic.publish([anOutcome("a")])).rejects.toThrow("rejected");
  await expect(topic.publish([anOutcome("b"), anOutcome("a")])).rejects.toThrow("rejected");
  delete state.rejects;
  await topic.publish([]);
  await topic.publish([anOutcome("c")]);
  expect(requests).toEqual([["a"], ["a", "b"], ["a", "b"], ["c"]]);
});

test("When an outcome is too large for the topic, others should still be published", async () => {
  const { state, requests, topic } = aTopic();
  state.rejects = "TooLarge";
  await expect(topic.publish([anOutcome("large")])).rejects.toThrow("rejected");
  delete state.rejects;
  await topic.publish([anOutcome("a")]);
  expect(requests).toEqual([["large"], ["a"]]);
});

test("When two publish at the same time, neither should repeat the other's", async () => {
  const { requests, topic } = aTopic();
  await Promise.all([topic.publish([anOutcome("a")]), topic.publish([anOutcome("b")])]);
  expect(requests).toEqual([["a"], ["b"]]);
});
