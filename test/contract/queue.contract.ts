import { randomUUID } from "node:crypto";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureQueue, type RedriveOptions } from "#shared/adapters/sqs/ensure-queue.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { dueAttribute, type Queue, type ReceivedMessage } from "#shared/ports/queue.ts";

/** A server that speaks SQS's protocol, including AWS itself. */
export type QueueEngine = Readonly<{ sqs: SQSClient; stop(): Promise<void> }>;

const kibibyte = 1024;
const patient: RedriveOptions = { maxReceiveCount: 10, visibilityTimeoutSeconds: 30 };

/** Receives until `count` messages have arrived; the long polls end early, so only a missing message costs the time. */
async function receiveAll(queue: Queue, count: number): Promise<ReceivedMessage[]> {
  const all: ReceivedMessage[] = [];
  while (all.length < count) {
    const some = await queue.receive({ waitSeconds: 5 });
    if (some.length === 0) break;
    all.push(...some);
  }
  return all;
}

async function receiveOne(queue: Queue, waitSeconds: number): Promise<ReceivedMessage> {
  const [message] = await queue.receive({ waitSeconds });
  if (!message) throw new Error(`no message came to ${queue.name} within ${waitSeconds} s`);
  return message;
}

const bodiesOf = (messages: readonly ReceivedMessage[]) => messages.map(({ body }) => body).sort();
const secondsSince = (start: number) => (performance.now() - start) / 1000;

/**
 * The contract of every engine behind the `Queue` port, with the characters of the longest body that it accepts. Each test
 * has its own queues.
 */
export function queueContract(
  name: string,
  maxBodyLength: number,
  startEngine: () => Promise<QueueEngine>,
): void {
  // Most of the time is spent waiting for SQS's whole seconds: all tests wait concurrently.
  describe.concurrent(`queue on ${name}`, () => {
    let engine: QueueEngine;
    beforeAll(async () => {
      engine = await startEngine();
    });
    afterAll(() => engine.stop());

    const freshQueues = async (
      options = patient,
    ): Promise<Readonly<{ queue: Queue; deadLetters: Queue }>> => {
      const { url, deadLettersUrl } = await ensureQueue(engine.sqs, `contract-${randomUUID()}`, options);
      return { queue: sqsQueue(engine.sqs, url), deadLetters: sqsQueue(engine.sqs, deadLettersUrl) };
    };

    test("When nothing was sent, it should return no messages at once", async () => {
      const { queue } = await freshQueues();
      expect(await queue.receive({ waitSeconds: 0 })).toEqual([]);
      expect(await queue.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    });

    test("When no messages are to be sent or deleted, it should do nothing", async () => {
      const { queue } = await freshQueues();
      await queue.send([]);
      await queue.delete([]);
      expect(await queue.receive({ waitSeconds: 0 })).toEqual([]);
    });

    test("When 25 messages are sent at once, it should deliver each, at most ten at a time", async () => {
      const { queue } = await freshQueues();
      const bodies = Array.from({ length: 25 }, (_, index) => `message ${index}`);
      await queue.send(bodies.map((body) => ({ body })));
      const first = await queue.receive({ waitSeconds: 5 });
      expect(first.length).toBeGreaterThan(0);
      expect(first.length).toBeLessThanOrEqual(10);
      const rest = await receiveAll(queue, 25 - first.length);
      expect(bodiesOf([...first, ...rest])).toEqual(bodies.sort());
    });

    test("When a message arrives during a long poll, it should end the poll", async () => {
      const { queue } = await freshQueues();
      const start = performance.now();
      const waiting = receiveOne(queue, 20);
      await queue.send([{ body: "wake up" }]);
      expect((await waiting).body).toBe("wake up");
      expect(secondsSince(start)).toBeLessThan(10);
    });

    test("When a message is delayed, it should count as delayed and arrive after that time", async () => {
      const { queue } = await freshQueues();
      const start = performance.now();
      await queue.send([{ body: "later", delaySeconds: 2 }]);
      expect(await queue.receive({ waitSeconds: 0 })).toEqual([]);
      expect(await queue.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 1 });
      const { body, attributes } = await receiveOne(queue, 10);
      expect(body).toBe("later");
      expect(attributes).toEqual({ [dueAttribute]: expect.stringMatching(/Z$/) });
      expect(secondsSince(start)).toBeGreaterThan(1.8);
    });

    test("When a message was received, it should be hidden, and return after its visibility timeout", async () => {
      const { queue } = await freshQueues({ maxReceiveCount: 10, visibilityTimeoutSeconds: 2 });
      await queue.send([{ body: "again" }]);
      const start = performance.now();
      const first = await receiveOne(queue, 5);
      expect(first.receiveCount).toBe(1);
      expect(await queue.receive({ waitSeconds: 0 })).toEqual([]);
      expect(await queue.depth()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
      const second = await receiveOne(queue, 10);
      expect(secondsSince(start)).toBeGreaterThan(1.8);
      expect(second).toMatchObject({ id: first.id, body: "again", receiveCount: 2 });
    });

    test("When a message is received with its own visibility timeout, it should be hidden for that time", async () => {
      const { queue } = await freshQueues();
      await queue.send([{ body: "looked at" }]);
      const start = performance.now();
      const [message] = await queue.receive({ waitSeconds: 5, hiddenSeconds: 2 });
      expect(message?.body).toBe("looked at");
      expect(await receiveOne(queue, 10)).toMatchObject({ id: message?.id, receiveCount: 2 });
      expect(secondsSince(start)).toBeGreaterThan(1.8);
    });

    test("When a message is delivered again, it should contain the time when it was first sent", async () => {
      const { queue } = await freshQueues({ maxReceiveCount: 10, visibilityTimeoutSeconds: 1 });
      const before = Date.now();
      await queue.send([{ body: "dated" }]);
      const first = await receiveOne(queue, 5);
      const second = await receiveOne(queue, 10);
      // The server's clock may differ when it is on another machine.
      expect(Math.abs(first.sentAt.getTime() - before)).toBeLessThan(60_000);
      expect(second.sentAt).toEqual(first.sentAt);
    });

    test("When the visibility timeout is changed, it should be delivered after the new time, not the queue's", async () => {
      const { queue } = await freshQueues();
      await queue.send([{ body: "postponed" }]);
      const { id, receiptHandle } = await receiveOne(queue, 5);
      const start = performance.now();
      await queue.changeVisibility(receiptHandle, 2);
      expect(await receiveOne(queue, 10)).toMatchObject({ id, receiveCount: 2 });
      expect(secondsSince(start)).toBeGreaterThan(1.8);
    });

    test("When messages are deleted, more than ten too, it should not deliver them again", async () => {
      const { queue } = await freshQueues({ maxReceiveCount: 10, visibilityTimeoutSeconds: 1 });
      await queue.send(Array.from({ length: 12 }, (_, index) => ({ body: String(index) })));
      const messages = await receiveAll(queue, 12);
      await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
      expect(await queue.receive({ waitSeconds: 2 })).toEqual([]);
      expect(await queue.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    });

    test("When a message reaches the maximum number of receives, it should go to the dead-letter queue unchanged", async () => {
      const { queue, deadLetters } = await freshQueues({ maxReceiveCount: 2, visibilityTimeoutSeconds: 30 });
      await queue.send([{ body: "poison", attributes: { origin: "contract" } }]);
      for (const receiveCount of [1, 2]) {
        const message = await receiveOne(queue, 5);
        expect(message.receiveCount).toBe(receiveCount);
        await queue.changeVisibility(message.receiptHandle, 0);
      }
      expect(await queue.receive({ waitSeconds: 1 })).toEqual([]);
      const dead = await receiveOne(deadLetters, 5);
      expect(dead).toMatchObject({ body: "poison", attributes: { origin: "contract" } });
      expect(await queue.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    });

    test("When a queue has a dead-letter queue, its attributes should name it", async () => {
      const { queue, deadLetters } = await freshQueues();
      expect(await deadLettersUrlOf(engine.sqs, queue.url)).toBe(deadLetters.url);
      await expect(deadLettersUrlOf(engine.sqs, deadLetters.url)).rejects.toMatchObject({
        code: "QueueMissing",
        message: expect.stringContaining("has no dead-letter queue"),
      });
      await expect(deadLettersUrlOf(engine.sqs, `${queue.url}-missing`)).rejects.toMatchObject({
        code: "QueueMissing",
      });
    });

    test("When messages have attributes, it should deliver each with its own", async () => {
      const { queue } = await freshQueues();
      await queue.send([
        { body: "a", attributes: { "hubrelay.reason": "data.name is missing.", "hubrelay.umlaut": "Grüße" } },
        { body: "b" },
      ]);
      const messages = await receiveAll(queue, 2);
      expect(Object.fromEntries(messages.map(({ body, attributes }) => [body, attributes]))).toEqual({
        a: { "hubrelay.reason": "data.name is missing.", "hubrelay.umlaut": "Grüße" },
        b: {},
      });
    });

    // Beyond the basic plane the embedded server refuses what AWS accepts: see embedded-messaging.test.ts.
    test("When a body has characters of any script, it should be returned unchanged", async () => {
      const { queue } = await freshQueues();
      const json = JSON.stringify({
        text: "Grüße 日本語 \u0000\u007f\u2028\ud7ff\ue000",
        escaped: "\\ud83d",
      });
      const text = 'plain\ttext\r\nwith <markup> & "quotes" ümläute';
      await queue.send([{ body: json }, { body: text }]);
      expect(bodiesOf(await receiveAll(queue, 2))).toEqual([text, json].sort());
    });

    test("When messages fill one request to the byte, it should send them in as many requests as needed", async () => {
      const { queue } = await freshQueues();
      const largest = "ü".repeat(128 * kibibyte);
      const third = "x".repeat(100 * kibibyte);
      await queue.send([{ body: largest }, ...[1, 2, 3].map(() => ({ body: third }))]);
      const lengths = (await receiveAll(queue, 4)).map(({ body }) => body.length);
      expect(lengths.sort((a, b) => a - b)).toEqual(
        [third, third, third, largest].map((text) => text.length),
      );
    });

    test("When a message is as long as the server allows, it should send it, and refuse one that is longer", async () => {
      const { queue } = await freshQueues();
      const longest = "x".repeat(maxBodyLength);
      await queue.send([{ body: "before" }, { body: longest }, { body: "after" }]);
      expect(bodiesOf(await receiveAll(queue, 3))).toEqual(["after", "before", longest]);
      await expect(queue.send([{ body: `${longest}x` }])).rejects.toMatchObject({
        name: "QueueError",
        code: "TooLarge",
      });
    });

    test("When a message is a byte longer than any server allows, it should send none of its neighbours", async () => {
      const { queue } = await freshQueues();
      const tooLong = { body: "x".repeat(1024 * kibibyte - 12), attributes: { size: "ü0" } };
      await expect(queue.send([{ body: "neighbour" }, tooLong])).rejects.toMatchObject({
        name: "QueueError",
        code: "TooLarge",
        message: expect.stringContaining("message 2 of 2 has 1048577 bytes"),
      });
      expect(await queue.receive({ waitSeconds: 0 })).toEqual([]);
    });

    test("When the queue does not exist, every operation should report that", async () => {
      const { queue } = await freshQueues();
      const missing = sqsQueue(engine.sqs, `${queue.url}-missing`);
      const requests = [
        missing.send([{ body: "lost" }]),
        missing.receive({ waitSeconds: 0 }),
        missing.delete(["handle"]),
        missing.depth(),
      ];
      for (const result of await Promise.allSettled(requests))
        expect(result).toMatchObject({
          status: "rejected",
          reason: {
            name: "QueueError",
            code: "QueueMissing",
            message: expect.stringContaining(missing.name),
          },
        });
    });

    test("When a queue is ensured again with other settings, it should keep its messages and apply the settings", async () => {
      const queueName = `contract-${randomUUID()}`;
      const { url } = await ensureQueue(engine.sqs, queueName, patient);
      const queue = sqsQueue(engine.sqs, url);
      await queue.send([{ body: "kept" }]);
      await ensureQueue(engine.sqs, queueName, { maxReceiveCount: 10, visibilityTimeoutSeconds: 1 });
      expect((await receiveOne(queue, 5)).body).toBe("kept");
      expect(await receiveOne(queue, 10)).toMatchObject({ body: "kept", receiveCount: 2 });
    });
  });
}
