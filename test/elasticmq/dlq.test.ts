import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureQueue } from "#shared/adapters/sqs/ensure-queue.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { hubrelay } from "../system/cli.ts";
import { startEngine } from "./support/engine.ts";

let engine: Awaited<ReturnType<typeof startEngine>>;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** A queue with a message that it gave up on, and one that hubrelay sent to its dead letters. */
async function aQueue() {
  const name = `dlq-${randomUUID()}`;
  const redrive = { maxReceiveCount: 1, visibilityTimeoutSeconds: 30 };
  const { url, deadLettersUrl } = await ensureQueue(engine.sqs, name, redrive);
  const [queue, deadLetters] = [sqsQueue(engine.sqs, url), sqsQueue(engine.sqs, deadLettersUrl)];
  await queue.send([{ body: "failed", attributes: { "hubrelay.unpublishedSince": "2026-03-01T01:31:00Z" } }]);
  const [failed] = await queue.receive({ waitSeconds: 5 });
  await queue.changeVisibility(failed?.receiptHandle ?? "", 0);
  expect(await queue.receive({ waitSeconds: 0 })).toEqual([]);
  await deadLetters.send([{ body: "unreadable" }]);
  await expect.poll(async () => (await deadLetters.depth()).visible).toBe(2);
  return { name, url, queue, deadLetters };
}

const replay = (queues: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  hubrelay(["dlq", "replay", ...args], {
    hub: "directory:.",
    variables: {
      HUBRELAY_QUEUE_URLS: JSON.stringify(queues),
      AWS_REGION: "elasticmq",
      AWS_ENDPOINT_URL: engine.endpoint,
      AWS_ACCESS_KEY_ID: "hubrelay",
      AWS_SECRET_ACCESS_KEY: "unused",
    },
  });

test("When a queue is replayed, its dead letters should be in it with their attributes, and no others", async () => {
  const [one, other] = [await aQueue(), await aQueue()];
  const { stdout, stderr, exitCode } = await replay({ one: one.url, other: other.url }, "--queue", "one");
  expect({ stdout, stderr, exitCode }).toEqual({
    stdout: "one: 2 dead letters moved.\n",
    stderr: "",
    exitCode: 0,
  });
  expect(await one.deadLetters.depth()).toMatchObject({ visible: 0 });
  expect(await other.deadLetters.depth()).toMatchObject({ visible: 2 });
  const moved = await one.queue.receive({ waitSeconds: 5 });
  expect(moved.map(({ body, attributes }) => [body, attributes]).sort()).toEqual([
    ["failed", { "hubrelay.unpublishedSince": "2026-03-01T01:31:00Z" }],
    ["unreadable", {}],
  ]);
  expect(moved.map(({ receiveCount }) => receiveCount)).toEqual([1, 1]);
});

test("When all are replayed, every queue should have its own, with the numbers in JSON", async () => {
  const [one, other] = [await aQueue(), await aQueue()];
  const { stdout } = await replay({ one: one.url, other: other.url }, "--all", "-o", "json");
  const move = { status: "COMPLETED", moved: 2 };
  expect(JSON.parse(stdout)).toEqual({
    moves: [
      { queue: "one", ...move },
      { queue: "other", ...move },
    ],
  });
  for (const { queue } of [one, other]) expect(await queue.depth()).toMatchObject({ visible: 2 });
});
