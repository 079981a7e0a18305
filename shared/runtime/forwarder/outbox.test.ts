import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { heldQueue } from "../../../test/support/messages/held-queue.ts";
import type { LogEntry } from "../../ports/log.ts";
import type { Queue } from "../../ports/queue.ts";
import { type OutboxOptions, outbox } from "./outbox.ts";

const retryMs = { first: 1, max: 4 };

function anOutbox(options: Partial<OutboxOptions> = {}) {
  const work = heldQueue();
  const entries: LogEntry[] = [];
  const stop = new AbortController();
  const box = outbox({
    queue: work.queue,
    signal: stop.signal,
    log: (entry) => entries.push(entry),
    retryMs,
    ...options,
  });
  const put = async (...bodies: readonly string[]) => {
    for (const body of bodies) await box.put(body, { body });
  };
  return { ...work, box, put, entries, stop };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

describe("an outbox", () => {
  test("When a single message comes, it should be sent at once, and the following ones together", async () => {
    const { put, request } = anOutbox();
    await put("a", "b", "c");
    const first = await request(0);
    expect(first.bodies).toEqual(["a"]);
    first.take();
    expect((await request(1)).bodies).toEqual(["b", "c"]);
  });

  test("When many messages wait, they should be sent together, in one request after the other", async () => {
    const { put, request, requests } = anOutbox();
    await put("first", ...numbered(60));
    for (const [index, count] of [1, 40, 20].entries()) {
      const under = await request(index);
      expect(under.bodies).toHaveLength(count);
      expect(requests).toHaveLength(index + 1);
      under.take();
    }
  });

  test("When the queue rejects messages, it should retry with growing pauses until they are accepted", async () => {
    const { put, request, entries, taken, box } = anOutbox();
    await put("a");
    for (const attempt of [0, 1, 2, 3]) (await request(attempt)).refuse();
    (await request(4)).take();
    await box.drained();
    expect(taken).toEqual(["a"]);
    expect(entries).toMatchObject([
      {
        event: "not-forwarded",
        queue: "work",
        waiting: 1,
        attempt: 1,
        delaySeconds: 0.001,
        error: "Error: work is down",
      },
      { event: "not-forwarded", attempt: 2, delaySeconds: 0.002 },
      { event: "not-forwarded", attempt: 3, delaySeconds: 0.004 },
      { event: "not-forwarded", attempt: 4, delaySeconds: 0.004 },
      { event: "forwarded", queue: "work", messages: 1, waiting: 0 },
    ]);
  });

  test("When the queue is slow, it should block the reader once it is full", async () => {
    const { put, request } = anOutbox({ capacity: 3 });
    let isThrough = false;
    const reader = put("a", "b", "c", "d").then(() => {
      isThrough = true;
    });
    const first = await request(0);
    await settled();
    expect(isThrough).toBe(false);
    first.take();
    await reader;
  });

  test("When the signal aborts while a reader is blocked, the reader should continue", async () => {
    const { put, stop, box, request } = anOutbox({ capacity: 1 });
    const reader = put("a", "b");
    await request(0);
    stop.abort();
    await reader;
    await box.drained();
  });

  test("When it is closed during a pause, it should not wait for the pause to end", async () => {
    const { put, box, request, stop } = anOutbox({ retryMs: { first: 600_000, max: 600_000 } });
    await put("a");
    (await request(0)).refuse();
    await settled();
    stop.abort();
    const closing = box.close(10_000);
    (await request(1)).take();
    expect(await closing).toBe(0);
  });

  test("When the queue accepts nothing before the close timeout, it should return how much is left, and end", async () => {
    const { put, box, request, requests, stop } = anOutbox();
    await put("a", "b", "c");
    await request(0);
    stop.abort();
    expect(await box.close(20)).toBe(3);
    requests[0]?.refuse();
    await settled();
    expect(requests.length).toBe(1);
  });

  test("When requests are rejected in any pattern, the newest message about each object should arrive last or be the only one", async () => {
    const objects = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(objects, fc.array(fc.boolean(), { maxLength: 20 }), async (changes, refusals) => {
        const pending = [...refusals];
        const taken: string[] = [];
        const send: Queue["send"] = async (messages) => {
          if (pending.shift()) throw new Error("refused");
          taken.push(...messages.map(({ body }) => body));
        };
        const queue = { ...heldQueue().queue, send };
        const { box } = anOutbox({ queue, retryMs: { first: 0, max: 0 } });
        const newest = new Map(changes.map((about, index) => [about, `${about} ${index}`]));
        for (const [index, about] of changes.entries()) await box.put(about, { body: `${about} ${index}` });
        await box.drained();
        for (const [about, body] of newest)
          expect(taken.findLast((message) => message.startsWith(about))).toBe(body);
      }),
      { numRuns: 200 },
    );
  });
});
