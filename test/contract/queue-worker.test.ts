import type { SQSEvent, SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { withBatch } from "#shared/adapters/network/requests.ts";
import {
  type QueueWorker,
  type QueueWorkerOptions,
  startQueueWorker,
} from "#shared/adapters/queue-worker/queue-worker.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";

/** A list whose next items can be awaited. */
function inbox<Item>() {
  const items: Item[] = [];
  let wake = Promise.withResolvers<void>();
  return {
    add: (item: Item): void => {
      items.push(item);
      wake.resolve();
      wake = Promise.withResolvers();
    },
    /** Returns the items as soon as there are `count` of them. */
    until: async (count: number): Promise<readonly Item[]> => {
      while (items.length < count) await wake.promise;
      return items;
    },
    items,
  };
}

const failuresOf = (records: readonly SQSRecord[]) => ({
  batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});
const bodiesOf = (records: readonly SQSRecord[]) => records.map(({ body }) => body).sort();
const empty = { visible: 0, inFlight: 0, delayed: 0 };

// Most of the time is spent waiting for SQS's whole seconds: all tests wait concurrently.
describe.concurrent("queue worker", () => {
  const workers: QueueWorker[] = [];
  let messaging: EmbeddedMessaging;
  let made = 0;
  const names = Array.from({ length: 20 }, (_, index) => `work-${index}`);
  beforeAll(async () => {
    messaging = await startEmbeddedMessaging({
      queues: names,
      topic: "outcomes",
      maxReceiveCount: 2,
      visibilityTimeoutSeconds: 2,
    });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await messaging.stop();
  });

  /** A queue that no other test uses, and a worker on it that collects its errors. */
  function setUp(handler: QueueWorkerOptions["handler"], options: Partial<QueueWorkerOptions> = {}) {
    const name = names[made++] ?? "";
    const queue = messaging.queue(name);
    const errors = inbox<unknown>();
    const start = () => {
      const worker = startQueueWorker({
        sqs: messaging.sqs,
        queueUrl: queue.url,
        handler,
        onError: errors.add,
        ...options,
      });
      workers.push(worker);
      return worker;
    };
    return { name, queue, deadLetters: messaging.deadLetters(name), errors, start };
  }

  test("When a handler succeeds, it should get Lambda's event once, and the messages be deleted", async () => {
    const events = inbox<SQSEvent>();
    const { name, queue, errors, start } = setUp(async (event) => {
      events.add(event);
      return { batchItemFailures: [] };
    });
    await queue.send([{ body: "hello", attributes: { origin: "test" } }]);
    const worker = start();
    const [event] = await events.until(1);
    await worker.stop();
    expect(event?.Records).toMatchObject([
      {
        body: "hello",
        attributes: { ApproximateReceiveCount: "1", SentTimestamp: expect.stringMatching(/^\d+$/) },
        messageAttributes: { origin: { dataType: "String", stringValue: "test" } },
        md5OfBody: "5d41402abc4b2a76b9719d911017c592",
        eventSource: "aws:sqs",
        eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${name}`,
        awsRegion: "us-east-1",
      },
    ]);
    expect(await queue.depth()).toEqual(empty);
    expect(errors.items).toEqual([]);
  });

  test("When a message fails every time, it should go to the dead-letter queue without delaying others", async () => {
    const handled = inbox<string>();
    const { queue, deadLetters, start } = setUp(async ({ Records }) => {
      for (const { body } of Records) handled.add(body);
      return failuresOf(Records.filter(({ body }) => body === "poison"));
    });
    await queue.send([{ body: "poison" }, { body: "good" }]);
    start();
    expect(await deadLetters.receive({ waitSeconds: 20 })).toMatchObject([{ body: "poison" }]);
    expect([...handled.items].sort()).toEqual(["good", "poison", "poison"]);
    expect(await queue.depth()).toEqual(empty);
  });

  test("When a handler throws, its whole batch should be delivered again and the reason be reported", async () => {
    const batches = inbox<readonly SQSRecord[]>();
    const { name, queue, errors, start } = setUp(async ({ Records }) => {
      batches.add(Records);
      if (batches.items.length === 1) throw new Error("out of memory");
    });
    await queue.send([{ body: "a" }, { body: "b" }]);
    const worker = start();
    await batches.until(2);
    await worker.stop();
    expect(batches.items.map(bodiesOf)).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(errors.items).toMatchObject([
      {
        message: `queue ${name}: a batch failed and will be retried: out of memory`,
        cause: { message: "out of memory" },
      },
    ]);
    expect(await queue.depth()).toEqual(empty);
  });

  test("When a handler does not return in time, its batch should be aborted and delivered again", async ({
    onTestFinished,
  }) => {
    const batches = inbox<readonly SQSRecord[]>();
    const signals: (AbortSignal | undefined)[] = [];
    const never = Promise.withResolvers<void>();
    onTestFinished(() => never.resolve());
    const { queue, errors, start } = setUp(
      async ({ Records }, context) => {
        batches.add(Records);
        signals.push(withBatch());
        expect(context.getRemainingTimeInMillis()).toBeLessThanOrEqual(1_000);
        if (batches.items.length === 1) await never.promise;
      },
      { timeoutSeconds: 1 },
    );
    await queue.send([{ body: "slow" }]);
    start();
    expect((await batches.until(2)).map(bodiesOf)).toEqual([["slow"], ["slow"]]);
    expect(errors.items).toMatchObject([{ message: expect.stringContaining("no response within 1 s") }]);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  test("When it is stopped, it should finish its current batch and receive nothing more", async () => {
    const started = inbox<readonly SQSRecord[]>();
    const release = Promise.withResolvers<void>();
    const { queue, errors, start } = setUp(async ({ Records }) => {
      started.add(Records);
      await release.promise;
    });
    await queue.send([{ body: "in flight" }]);
    const worker = start();
    await started.until(1);
    expect(worker.idle()).toBe(false);

    let stopped = false;
    const stopping = worker.stop().then(() => {
      stopped = true;
    });
    await queue.send([{ body: "too late" }]);
    expect(await queue.depth()).toEqual({ visible: 1, inFlight: 1, delayed: 0 });
    expect(stopped).toBe(false);
    release.resolve();
    await stopping;
    expect(worker.idle()).toBe(true);
    expect(await queue.depth()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    expect(started.items).toHaveLength(1);
    expect(errors.items).toEqual([]);
  });

  test("When it is stopped while it waits for messages, it should end soon without an error", async () => {
    const { queue, errors, start } = setUp(async () => undefined, { concurrency: 3 });
    const worker = start();
    await queue.depth();
    expect(worker.idle()).toBe(true);
    const poll = queue.receive({ waitSeconds: 20 }).then(() => "a poll ended first");
    const stopped = worker.stop().then(() => worker.stop());
    expect(await Promise.race([poll, stopped.then(() => "stopped")])).toBe("stopped");
    expect(errors.items).toEqual([]);
    await queue.send([{ body: "ends the poll" }]);
    await poll;
  });

  test("When concurrency is two, it should handle two batches at a time and no more", async () => {
    const started = inbox<readonly SQSRecord[]>();
    const release = Promise.withResolvers<void>();
    const { queue, start } = setUp(
      async ({ Records }) => {
        started.add(Records);
        await release.promise;
      },
      { concurrency: 2, batch: { size: 1 } },
    );
    await queue.send(["a", "b", "c"].map((body) => ({ body })));
    const worker = start();
    await started.until(2);
    expect(await queue.depth()).toEqual({ visible: 1, inFlight: 2, delayed: 0 });
    release.resolve();
    await started.until(3);
    await worker.stop();
    expect(started.items.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(await queue.depth()).toEqual(empty);
  });

  test("When there is a batch window, it should wait for more messages, but not for a full batch", async () => {
    const batches = inbox<readonly SQSRecord[]>();
    const { queue, start } = setUp(
      async ({ Records }) => {
        batches.add(Records);
      },
      // Long enough for the other messages to be sent meanwhile on a busy machine.
      { batch: { size: 3, windowSeconds: 5 } },
    );
    const worker = start();
    await queue.send([{ body: "a" }]);
    const filling = async () => {
      for (let depth = await queue.depth(); depth.inFlight === 0; depth = await queue.depth());
      await queue.send(["b", "c", "d"].map((body) => ({ body })));
    };
    await filling();
    await batches.until(2);
    await worker.stop();
    expect(batches.items.map(({ length }) => length)).toEqual([3, 1]);
    expect(batches.items.flatMap(bodiesOf).sort()).toEqual(["a", "b", "c", "d"]);
    expect(await queue.depth()).toEqual(empty);
  });

  test.for([{ windowSeconds: 5 }, { windowSeconds: 0 }])(
    "When a batch is larger than a request, its waiting messages should be handled and deleted together, with $windowSeconds s of window",
    async (window) => {
      const batches = inbox<readonly SQSRecord[]>();
      const { queue, start } = setUp(
        async ({ Records }) => {
          batches.add(Records);
          return {
            batchItemFailures: Records.slice(-1).map(({ messageId }) => ({ itemIdentifier: messageId })),
          };
        },
        { batch: { size: 25, ...window } },
      );
      await queue.send(Array.from({ length: 25 }, (_, index) => ({ body: `m${index}` })));
      const worker = start();
      await batches.until(1);
      await worker.stop();
      expect(batches.items.map(({ length }) => length)).toEqual([25]);
      expect(await queue.depth()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    },
  );

  test("When the server is not available, it should report that with growing pauses, and still stop at once", async ({
    onTestFinished,
  }) => {
    const sqs = sqsClient({
      region: "us-east-1",
      endpoint: "http://127.0.0.1:1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    });
    onTestFinished(() => sqs.destroy());
    const began = performance.now();
    const { errors, start } = setUp(async () => undefined, {
      sqs,
      queueUrl: "http://127.0.0.1:1/000000000000/gone",
    });
    const worker = start();
    await errors.until(4);
    // 250 ms after the first failure, 500 ms after the second, one second after the third, two after this one.
    expect(performance.now() - began).toBeGreaterThan(1_700);
    const next = errors.until(5).then(() => "tried again");
    expect(await Promise.race([next, worker.stop().then(() => "stopped")])).toBe("stopped");
    expect(errors.items[0]).toMatchObject({
      name: "QueueError",
      code: "QueueUnavailable",
      message: expect.stringMatching(/^queue gone: ReceiveMessage failed: ECONNREFUSED/),
    });
  });
});
