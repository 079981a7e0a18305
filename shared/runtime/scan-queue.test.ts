import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "../adapters/embedded-sqs/embedded-messaging.ts";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";
import { keepNewest, scanQueue } from "./scan-queue.ts";

const empty = { visible: 0, inFlight: 0, delayed: 0 };

describe.concurrent("dead letters", () => {
  let messaging: EmbeddedMessaging;
  let used = 0;
  const names = Array.from({ length: 3 }, (_, index) => `work-${index}`);
  beforeAll(async () => {
    messaging = await startEmbeddedMessaging({ queues: names, topic: "outcomes" });
  });
  afterAll(() => messaging.stop());

  /** A dead-letter queue for this test, with these messages. */
  async function deadLettersOf(bodies: readonly string[]) {
    const deadLetters = messaging.deadLetters(names[used++] ?? "");
    await deadLetters.send(bodies.map((body) => ({ body })));
    return deadLetters;
  }

  const bodiesIn = async (queue: Queue): Promise<readonly string[]> => {
    const bodies: string[] = [];
    await scanQueue(queue, Number.POSITIVE_INFINITY, (messages) => {
      bodies.push(...messages.map(({ body }) => body));
    });
    return bodies.sort();
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `message ${index}`);

  test("When they are scanned, each should be shown once, and all be visible again at once", async ({
    expect,
  }) => {
    const deadLetters = await deadLettersOf(numbered(25));
    expect(await bodiesIn(deadLetters)).toEqual(numbered(25).sort());
    expect(await deadLetters.depth()).toEqual({ ...empty, visible: 25 });
  });

  test("When the scan has a limit, no more should be shown", async ({ expect }) => {
    const deadLetters = await deadLettersOf(numbered(25));
    const seen: ReceivedMessage[] = [];
    await scanQueue(deadLetters, 12, (messages) => {
      seen.push(...messages);
    });
    expect(seen).toHaveLength(12);
    expect(await deadLetters.depth()).toEqual({ ...empty, visible: 25 });
  });

  test("When the scan fails, the scanned messages should be visible again", async ({ expect }) => {
    const deadLetters = await deadLettersOf(numbered(3));
    const failing = scanQueue(deadLetters, 10, () => {
      throw new Error("a bug");
    });
    await expect(failing).rejects.toThrow("a bug");
    expect(await deadLetters.depth()).toEqual({ ...empty, visible: 3 });
  });
});

test.for([
  { sent: 25, max: 3, deleted: 22, left: ["22", "23", "24"] },
  { sent: 3, max: 3, deleted: 0, left: ["0", "1", "2"] },
])(
  "When $sent messages wait and $max may, the oldest $deleted should go",
  async ({ sent, max, deleted, left }) => {
    const messaging = await startEmbeddedMessaging({ queues: ["any"], topic: "unused" });
    onTestFinished(() => messaging.stop());
    const queue = messaging.queue("any");
    await queue.send(Array.from({ length: sent }, (_, index) => ({ body: String(index) })));
    expect(await keepNewest(queue, max)).toBe(deleted);
    const messages = await queue.receive({ waitSeconds: 0 });
    expect(messages.map(({ body }) => body).toSorted()).toEqual(left);
  },
);
