import { afterAll, beforeAll, describe, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "../adapters/embedded-sqs/embedded-messaging.ts";
import { maxMessageBytes } from "../adapters/sqs/message-batches.ts";
import { deadLetterAttributes } from "../domain/events/dead-letter.ts";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";
import { type ReplayOptions, replayDeadLetters } from "./replay.ts";
import { scanQueue } from "./scan-queue.ts";

const now = new Date("2026-03-01T02:00:00Z");
const empty = { visible: 0, inFlight: 0, delayed: 0 };

describe.concurrent("dead letters", () => {
  let messaging: EmbeddedMessaging;
  let used = 0;
  const names = Array.from({ length: 12 }, (_, index) => `work-${index}`);
  beforeAll(async () => {
    messaging = await startEmbeddedMessaging({ queues: names, topic: "outcomes" });
  });
  afterAll(() => messaging.stop());

  /** A queue for this test, with these dead letters. */
  async function deadLettersOf(bodies: readonly string[], attributes: Readonly<Record<string, string>> = {}) {
    const name = names[used++] ?? "";
    const deadLetters = messaging.deadLetters(name);
    await deadLetters.send(bodies.map((body) => ({ body, attributes })));
    return { queue: messaging.queue(name), deadLetters };
  }

  const replay = (pair: Pick<ReplayOptions, "queue" | "deadLetters">, options: Partial<ReplayOptions> = {}) =>
    replayDeadLetters({
      ...pair,
      isWanted: () => true,
      isEnough: () => false,
      now,
      isDryRun: false,
      ...options,
    });
  const bodiesIn = async (queue: Queue): Promise<readonly string[]> => {
    const bodies: string[] = [];
    await scanQueue(queue, Number.POSITIVE_INFINITY, async (messages) => {
      bodies.push(...messages.map(({ body }) => body));
      return { gone: [] };
    });
    return bodies.sort();
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `message ${index}`);

  test("When they are scanned, each should be shown once, and all be visible again at once", async ({
    expect,
  }) => {
    const { deadLetters } = await deadLettersOf(numbered(25));
    expect(await bodiesIn(deadLetters)).toEqual(numbered(25).sort());
    expect(await deadLetters.depth()).toEqual({ ...empty, visible: 25 });
  });

  test("When the scan has a limit, no more should be shown", async ({ expect }) => {
    const { deadLetters } = await deadLettersOf(numbered(25));
    const seen: ReceivedMessage[] = [];
    const result = await scanQueue(deadLetters, 12, async (messages) => {
      seen.push(...messages);
      return { gone: [] };
    });
    expect(result).toEqual({ shown: 12, hidden: 0 });
    expect(seen).toHaveLength(12);
    expect(await deadLetters.depth()).toEqual({ ...empty, visible: 25 });
  });

  test("When the scan fails, the scanned messages should be visible again", async ({ expect }) => {
    const { deadLetters } = await deadLettersOf(numbered(3));
    const failing = scanQueue(deadLetters, 10, async () => {
      throw new Error("a bug");
    });
    await expect(failing).rejects.toThrow("a bug");
    expect(await deadLetters.depth()).toEqual({ ...empty, visible: 3 });
  });

  test("When all are replayed, they should be in their queue, without the reason and with the time", async ({
    expect,
  }) => {
    const pair = await deadLettersOf(numbered(12), {
      [deadLetterAttributes.reason]: "data is missing.",
      [deadLetterAttributes.function]: "mirror-config",
      [deadLetterAttributes.messageId]: "m-1",
      origin: "test",
    });
    const { replayed } = await replay(pair);
    expect(replayed).toHaveLength(12);
    expect(await pair.deadLetters.depth()).toEqual(empty);
    const [message] = await pair.queue.receive({ waitSeconds: 5 });
    expect(message?.attributes).toEqual({
      origin: "test",
      [deadLetterAttributes.replayed]: "2026-03-01T02:00:00.000Z",
    });
  });

  test("When one is replayed, the others should stay, visible at once", async ({ expect }) => {
    const pair = await deadLettersOf(["a", "b", "c"]);
    const { replayed } = await replay(pair, {
      isWanted: ({ body }) => body === "b",
      isEnough: (found) => found === 1,
    });
    expect(replayed.map(({ body }) => body)).toEqual(["b"]);
    expect(await bodiesIn(pair.queue)).toEqual(["b"]);
    expect(await pair.deadLetters.depth()).toEqual({ ...empty, visible: 2 });
  });

  test("When it is a dry run, it should report all and move nothing", async ({ expect }) => {
    const pair = await deadLettersOf(numbered(3));
    const { replayed } = await replay(pair, { isDryRun: true });
    expect(replayed).toHaveLength(3);
    expect(await pair.queue.depth()).toEqual(empty);
    expect(await pair.deadLetters.depth()).toEqual({ ...empty, visible: 3 });
  });

  test("When a message fails again at once, the replay should still end", async ({ expect }) => {
    const pair = await deadLettersOf(["poison"]);
    let sends = 0;
    const backAgain: Queue = {
      ...pair.queue,
      async send(messages) {
        sends += messages.length;
        await pair.deadLetters.send(messages);
      },
    };
    await replay({ ...pair, queue: backAgain });
    expect(sends).toBe(1);
    expect(await pair.deadLetters.depth()).toEqual({ ...empty, visible: 1 });
    // A later replay moves it again.
    await replay({ ...pair, queue: backAgain }, { now: new Date(now.getTime() + 1) });
    expect(sends).toBe(2);
  });

  test("When it is killed between sending and deleting, the message should exist twice, not be lost", async ({
    expect,
  }) => {
    const pair = await deadLettersOf(["precious"]);
    const killed: Queue = {
      ...pair.deadLetters,
      delete: async () => {
        throw new Error("killed");
      },
    };
    await expect(replay({ ...pair, deadLetters: killed })).rejects.toThrow("killed");
    expect(await bodiesIn(pair.queue)).toEqual(["precious"]);
    expect(await bodiesIn(pair.deadLetters)).toEqual(["precious"]);
  });

  test("When the queue rejects one, the others should be replayed, and it should stay with the reason", async ({
    expect,
  }) => {
    const tooLarge = "x".repeat(maxMessageBytes);
    const pair = await deadLettersOf([...numbered(2), tooLarge]);
    const { replayed, rejected } = await replay(pair);
    expect(replayed.map(({ body }) => body).sort()).toEqual(numbered(2));
    expect(rejected).toMatchObject([{ message: { body: tooLarge }, error: { code: "TooLarge" } }]);
    expect(await bodiesIn(pair.queue)).toEqual(numbered(2));
    expect(await pair.deadLetters.depth()).toEqual({ ...empty, visible: 1 });
  });

  test("When the queue accepts nothing, every dead letter should stay", async ({ expect }) => {
    const pair = await deadLettersOf(numbered(3));
    const full: Queue = {
      ...pair.queue,
      send: async () => {
        throw new Error("full");
      },
    };
    await expect(replay({ ...pair, queue: full })).rejects.toThrow("full");
    expect(await pair.deadLetters.depth()).toEqual({ ...empty, visible: 3 });
  });
});
