import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEnvelopes } from "#shared/domain/plan/envelope.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { OutcomeTopic } from "#shared/ports/outcome-topic.ts";
import type { Queue } from "#shared/ports/queue.ts";

/** The types that a subscriber wants; all by default. */
export type Subscription = Readonly<{ types?: readonly string[] }>;

/** A server, or hubrelay with the queues of a server, that passes outcome events on to subscribers. */
export type TopicEngine = Readonly<{
  /** Creates a topic, and the queue of each of its subscribers. */
  open(
    subscriptions: readonly Subscription[],
  ): Promise<Readonly<{ topic: OutcomeTopic; queues: readonly Queue[] }>>;
  /** Returns a topic that was not created. */
  missing(): OutcomeTopic;
  stop(): Promise<void>;
}>;

/** An event that fits no message. */
const texts = Array.from({ length: 80 }, () => "x".repeat(16 * 1024));

export function anOutcome(index: number, data: Readonly<Record<string, unknown>> = {}): OutcomeEvent {
  return outcomeEvent({
    type: index % 2 === 0 ? "dev.hubrelay.mirror-config.rendered" : "dev.hubrelay.mirror-config.refused",
    source: "https://api.hub.lab:6443",
    subject: `MachineConfigPool/pool-${index}`,
    from: String(index),
    at: "2026-03-01T02:00:00Z",
    data: { pool: `pool-${index}`, text: "Grüße 日本語 🚀 <&>", ...data },
  });
}

export const outcomes = (count: number) => Array.from({ length: count }, (_, index) => anOutcome(index));
const subjectsOf = (events: readonly OutcomeEvent[]) => events.map(({ subject }) => subject).sort();
const byId = (a: OutcomeEvent, b: OutcomeEvent) => (a.id < b.id ? -1 : 1);

/** The bodies that reach a subscriber; one message more than `count` ends the wait early. */
export async function delivered(queue: Queue, count: number): Promise<readonly string[]> {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const some = await queue.receive({ waitSeconds: 5 });
    if (some.length === 0) break;
    bodies.push(...some.map(({ body }) => body));
  }
  return bodies;
}

/** The events that reach a subscriber, as it reads them: without the envelopes of the server. */
async function received(queue: Queue | undefined, count: number): Promise<readonly OutcomeEvent[]> {
  const bodies = queue ? await delivered(queue, count) : [];
  return bodies.map((body) => {
    const opened = openEnvelopes(body);
    if (!opened.ok) throw new Error(opened.reason);
    return opened.content as unknown as OutcomeEvent;
  });
}

/** The contract of everything behind the `OutcomeTopic` port. Each test has its own topic and subscribers. */
export function outcomeTopicContract(name: string, startEngine: () => Promise<TopicEngine>): void {
  describe.concurrent(`outcome topic on ${name}`, () => {
    let engine: TopicEngine;
    beforeAll(async () => {
      engine = await startEngine();
    });
    afterAll(() => engine.stop());

    test("When more events than fit a request are published, it should deliver each unchanged", async () => {
      const { topic, queues } = await engine.open([{}]);
      const events = outcomes(12);
      await topic.publish(events);
      expect([...(await received(queues[0], 12))].sort(byId)).toEqual(events.sort(byId));
    });

    test("When an event is published again, it should have the id that it had", async () => {
      const { topic, queues } = await engine.open([{}]);
      for (let time = 0; time < 2; time++) await topic.publish([anOutcome(0)]);
      expect(await received(queues[0], 2)).toEqual([anOutcome(0), anOutcome(0)]);
    });

    test("When subscribers filter by type, each should get only its events, and all that it wants", async () => {
      const { topic, queues } = await engine.open([
        { types: ["dev.hubrelay.mirror-config.refused"] },
        { types: ["dev.hubrelay.precache.finished"] },
        {},
      ]);
      await topic.publish(outcomes(4));
      const refused = ["MachineConfigPool/pool-1", "MachineConfigPool/pool-3"];
      expect(subjectsOf(await received(queues[0], 2))).toEqual(refused);
      expect(await received(queues[2], 4)).toHaveLength(4);
      for (const queue of queues.slice(0, 2)) expect(await queue.receive({ waitSeconds: 1 })).toEqual([]);
    });

    test("When there is nothing to publish or no subscriber, it should succeed", async () => {
      const { topic } = await engine.open([]);
      await topic.publish([]);
      await topic.publish([anOutcome(0)]);
    });

    test("When the size of the events exceeds one request, it should deliver them all", async () => {
      const { topic, queues } = await engine.open([{}]);
      await topic.publish([0, 1, 2].map((index) => anOutcome(index, { issues: "x".repeat(100 * 1024) })));
      expect(await received(queues[0], 3)).toHaveLength(3);
    });

    test("When an event exceeds the size of a message, it should name it and publish the others", async () => {
      const { topic, queues } = await engine.open([{}]);
      const tooLarge = anOutcome(1, { issues: texts });
      await expect(topic.publish([anOutcome(0), tooLarge])).rejects.toMatchObject({
        name: "OutcomeTopicError",
        code: "TooLarge",
        // Some servers have queues, whose messages have a number.
        message: expect.stringMatching(/ (?:MachineConfigPool\/pool-1|message 1 of 1) has /),
        accepted: new Set([anOutcome(0).id]),
      });
      expect(await received(queues[0], 1)).toEqual([anOutcome(0)]);
    });

    test("When the topic does not exist, it should report that", async () => {
      await expect(engine.missing().publish([anOutcome(0)])).rejects.toMatchObject({
        name: "OutcomeTopicError",
        code: "TopicMissing",
      });
    });
  });
}
