import { expect, onTestFinished, test } from "vitest";
import { startEmbeddedMessaging } from "../adapters/embedded-sqs/embedded-messaging.ts";
import { keepNewest } from "./oldest-messages.ts";

test.for([
  { sent: 25, max: 3, deleted: 22, left: ["22", "23", "24"] },
  { sent: 3, max: 3, deleted: 0, left: ["0", "1", "2"] },
  { sent: 0, max: 3, deleted: 0, left: [] },
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
