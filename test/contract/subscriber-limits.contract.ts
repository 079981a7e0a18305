import type { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { subscriberQueue } from "#shared/adapters/sqs/subscriber-queue.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { anOutcome, delivered, outcomes } from "./outcome-topic.contract.ts";
import { freshQueue } from "./outcome-topic.engines.ts";

const hourMs = 3_600_000;
const subjectsIn = async (queue: Queue, count: number) =>
  (await delivered(queue, count)).map((body) => JSON.parse(body).subject);
const subjects = (...numbers: readonly number[]) =>
  numbers.map((number) => `MachineConfigPool/pool-${number}`);

/** What hubrelay does with the queue of a subscriber that does not read it, on a server that keeps all messages. */
export function subscriberLimitsContract(
  name: string,
  startServer: () => Promise<Readonly<{ sqs: SQSClient; stop(): Promise<void> }>>,
): void {
  describe.concurrent(`the queue of an absent subscriber on ${name}`, () => {
    let server: Awaited<ReturnType<typeof startServer>>;
    beforeAll(async () => {
      server = await startServer();
    });
    afterAll(() => server.stop());

    const absent = async (maxMessages: number) => {
      const { queue } = await freshQueue(server.sqs);
      const entries: LogEntry[] = [];
      const clock = { now: Date.now() };
      const limits = { name: "tickets", maxMessages, retentionSeconds: hourMs / 1000 };
      const start = () =>
        subscriberQueue(queue, limits, {
          log: (entry) => entries.push(entry),
          now: () => new Date(clock.now),
        });
      const topic = start();
      const dropped = () => entries.filter(({ event }) => event === "outcomes-dropped");
      return { queue, topic, start, clock, dropped, entries };
    };

    test("When more outcomes wait than permitted, the newest should stay, and the log should count the others", async () => {
      const { queue, topic, dropped, entries } = await absent(10);
      for (let index = 0; index < 25; index++) await topic.publish([anOutcome(index)]);
      expect(await queue.depth()).toMatchObject({ visible: 10 });
      expect(dropped()).toHaveLength(15);
      expect(dropped()[0]).toEqual({
        event: "outcomes-dropped",
        subscriber: "tickets",
        messages: 1,
        reason: "too many",
      });
      expect(entries).toContainEqual({ event: "outcomes-waiting", subscriber: "tickets", messages: 11 });
      expect((await subjectsIn(queue, 10)).toSorted()).toEqual(
        subjects(15, 16, 17, 18, 19, 20, 21, 22, 23, 24),
      );
    });

    test("When many outcomes come at once, the queue should be within its limit nevertheless", async () => {
      const { queue, topic } = await absent(10);
      await topic.publish(outcomes(200));
      expect(await queue.depth()).toMatchObject({ visible: 10, inFlight: 0 });
    });

    test("When outcomes have waited for longer than permitted, they should be removed with the next one", async () => {
      const { queue, topic, clock, dropped } = await absent(1_000);
      await topic.publish(outcomes(15));
      clock.now += hourMs / 2;
      await topic.publish([anOutcome(15)]);
      expect(await queue.depth()).toMatchObject({ visible: 16 });
      // All were sent just now: to this clock they are two hours old.
      clock.now += 1.5 * hourMs;
      await topic.publish([anOutcome(16)]);
      expect(dropped()).toEqual([
        { event: "outcomes-dropped", subscriber: "tickets", messages: 17, reason: "too old" },
      ]);
      expect(await queue.depth()).toMatchObject({ visible: 0, inFlight: 0 });
    });

    test("When no process runs for as long as a quarter of the time that outcomes may wait, the first publication of each should remove the old ones", async () => {
      const { queue, topic, start, clock, dropped } = await absent(1_000);
      await topic.publish(outcomes(15));
      clock.now += 2 * hourMs;
      await start().publish([anOutcome(15)]);
      // To this clock the sixteenth, too, was sent two hours ago.
      expect(dropped()).toMatchObject([{ messages: 16, reason: "too old" }]);
      expect(await queue.depth()).toMatchObject({ visible: 0, inFlight: 0 });
    });

    test("When the subscriber is at work, no outcome should be taken from it for its age", async () => {
      const { queue, topic, clock, dropped } = await absent(1_000);
      await topic.publish(outcomes(2));
      const [message] = await queue.receive({ waitSeconds: 5 });
      clock.now += 2 * hourMs;
      await topic.publish([anOutcome(2)]);
      expect(message).toBeDefined();
      expect(dropped()).toEqual([]);
    });
  });
}
