import type { Context } from "aws-lambda";
import { expect, test } from "vitest";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { memoryHub } from "../adapters/hub/memory/memory-hub.ts";
import type { Hub } from "../ports/hub.ts";
import type { LogEntry } from "../ports/log.ts";
import type { Controller } from "./controller.ts";
import { hubEventHandler } from "./handler.ts";

const now = () => new Date("2026-03-01T02:00:00Z");
const context = {} as Context;
const queue = sendingQueue("work", async () => {
  throw new Error("an empty batch sends nothing");
});

const controller: Controller<never> = {
  name: "test",
  queue: "work",
  watches: [],
  plan: async () => ({ decisions: [], issues: [], actions: [] }),
};

/** Returns what a function logs about a batch without messages, while its login ends at this time. */
async function loggedWith(end: Date | undefined, time?: Hub["time"]): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  const handler = hubEventHandler(controller, {
    hub: { ...memoryHub({ id: "urn:test:hub", now }), ...(time ? { time } : {}) },
    external: {},
    queue,
    deadLetters: queue,
    outcomes: { publish: async () => undefined },
    log: (entry) => entries.push(entry),
    loginEnd: async () => end,
    now,
  });
  expect(await handler({ Records: [] }, context)).toEqual({ batchItemFailures: [] });
  return entries;
}

const handled = { event: "handled", messages: 0, failed: 0 };

test.for([
  { end: "2026-03-02T02:00:00Z", remainingSeconds: 86_400 },
  { end: "2026-03-01T01:59:00Z", remainingSeconds: -60 },
])("When a login ends at $end, an empty batch should measure $remainingSeconds s", async (one) => {
  const { end, remainingSeconds } = one;
  expect(await loggedWith(new Date(end))).toEqual([{ event: "login", remainingSeconds }, handled]);
});

test("When nothing knows when the login ends, a batch should measure nothing about it", async () => {
  expect(await loggedWith(undefined)).toEqual([handled]);
});

test.for([
  { hub: "2026-03-01T01:10:00Z", aheadSeconds: 3_000 },
  { hub: "2026-03-01T02:00:01Z", aheadSeconds: -1 },
])(
  "When the hub's clock is at $hub, a batch should measure $aheadSeconds s",
  async ({ hub, aheadSeconds }) => {
    expect(await loggedWith(undefined, () => new Date(hub))).toEqual([
      { event: "clock", aheadSeconds },
      handled,
    ]);
  },
);

test("When no response of the hub has its time, a batch should measure nothing about it", async () => {
  expect(await loggedWith(undefined, () => undefined)).toEqual([handled]);
});
