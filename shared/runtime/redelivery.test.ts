import { expect, test } from "vitest";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { HubError } from "../ports/hub.ts";
import type { OutgoingMessage } from "../ports/queue.ts";
import { postpone, requeue } from "./redelivery.ts";

const now = new Date("2026-11-29T12:00:00Z");

/** A queue that keeps what is sent to it and how long messages are hidden. */
function aQueue() {
  const sent: OutgoingMessage[] = [];
  const hidden: number[] = [];
  const sending = sendingQueue("work", async (messages) => {
    sent.push(...messages);
  });
  const queue = {
    ...sending,
    changeVisibility: async (_handle: string, seconds: number) => void hidden.push(seconds),
  };
  return { sent, hidden, ports: { queue, log: () => undefined, now: () => now } };
}

test.for([
  // Less than a second would spin until the time has come.
  { inMs: -5000, delaySeconds: [1] },
  { inMs: 0, delaySeconds: [1] },
  { inMs: 1, delaySeconds: [1] },
  { inMs: 1001, delaySeconds: [2] },
  { inMs: 900_000, delaySeconds: [900] },
  { inMs: 900_001, delaySeconds: [] },
])(
  "When a key is due in $inMs ms, its message should be sent with the delays $delaySeconds",
  async ({ inMs, delaySeconds }) => {
    const { sent, ports } = aQueue();
    await requeue("a", [aRecord("1", "body")], new Date(now.getTime() + inMs), ports);
    expect(sent).toEqual(delaySeconds.map((seconds) => ({ body: "body", delaySeconds: seconds })));
  },
);

test.for([
  { receiveCount: 1, code: "Unavailable", retryAfterSeconds: undefined, hidden: [2] },
  { receiveCount: 3, code: "Unavailable", retryAfterSeconds: undefined, hidden: [8] },
  { receiveCount: 3, code: "TooManyRequests", retryAfterSeconds: 5, hidden: [8] },
  { receiveCount: 3, code: "TooManyRequests", retryAfterSeconds: 60, hidden: [60] },
  { receiveCount: 30, code: "Unavailable", retryAfterSeconds: undefined, hidden: [900] },
  { receiveCount: 1, code: "TooManyRequests", retryAfterSeconds: 4000, hidden: [900] },
  { receiveCount: 1, code: "Unauthorized", retryAfterSeconds: undefined, hidden: [2] },
  { receiveCount: 1, code: "Forbidden", retryAfterSeconds: undefined, hidden: [2] },
  { receiveCount: 1, code: "Invalid", retryAfterSeconds: undefined, hidden: [] },
] as const)(
  "When receipt $receiveCount fails with $code, Retry-After $retryAfterSeconds, the message should be hidden for $hidden s",
  async ({ receiveCount, code, retryAfterSeconds, hidden: expected }) => {
    const { hidden, ports } = aQueue();
    const error = new HubError(code, "refused", retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    await postpone("a", [aRecord("1", "body", { receiveCount })], error, ports);
    expect(hidden).toEqual(expected);
  },
);
