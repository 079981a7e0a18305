import type { Context } from "aws-lambda";
import { expect, test } from "vitest";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { memoryHub } from "../adapters/hub/memory/memory-hub.ts";
import type { Hub } from "../ports/hub.ts";
import type { LogEntry } from "../ports/log.ts";
import { type Queue, QueueError } from "../ports/queue.ts";
import type { Controller } from "./controller.ts";
import { hubEventHandler } from "./handler.ts";
import { reportQueues } from "./reports.ts";

const refused = () => Promise.reject(new QueueError("QueueUnavailable", "no"));
const depth = (visible: number) => Promise.resolve({ visible, inFlight: 5, delayed: 5 });

/** Reports until as many reports as there are depths were made. */
async function reported(depths: readonly (() => ReturnType<Queue["depth"]>)[], deadLetters = () => depth(0)) {
  const entries: LogEntry[] = [];
  const stop = new AbortController();
  let reports = 0;
  let round = 0;
  const queue = (of: () => ReturnType<Queue["depth"]>) => ({ depth: of }) as Queue;
  await reportQueues({
    queues: [
      {
        name: "mirror-configs",
        queue: queue(() => depths[round]?.() ?? refused()),
        deadLetters: async () => queue(deadLetters),
      },
    ],
    signal: stop.signal,
    log: (entry) => entries.push(entry),
    onReport: () => reports++,
    pause: async () => {
      if (++round === depths.length) stop.abort();
    },
  });
  return { entries, reports };
}

test("When messages wait, it should report those that nobody has received, and the dead letters", async () => {
  const { entries, reports } = await reported([() => depth(3), () => depth(0)], () => depth(2));
  expect(entries).toEqual([
    { event: "queue-depth", queue: "mirror-configs", waiting: 3, inFlight: 5, deadLetters: 2 },
    { event: "queue-depth", queue: "mirror-configs", waiting: 0, inFlight: 5, deadLetters: 2 },
  ]);
  expect(reports).toBe(2);
});

test("When a queue does not respond, it should say so, count no report, and go on", async () => {
  const { entries, reports } = await reported([refused, () => depth(1)]);
  expect(entries.map(({ event }) => event)).toEqual(["retry", "queue-depth"]);
  expect(reports).toBe(1);
});

test("When dead letters may not be read, it should report the queue without them", async () => {
  const { entries, reports } = await reported([() => depth(1)], refused);
  expect(entries).toEqual([{ event: "queue-depth", queue: "mirror-configs", waiting: 1, inFlight: 5 }]);
  expect(reports).toBe(1);
});

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
  ["2026-03-01T01:10:00Z", 3_000],
  ["2026-03-01T02:00:01Z", -1],
] as const)("When the hub's clock is at $0, a batch should measure $1 s", async ([hub, aheadSeconds]) => {
  expect(await loggedWith(undefined, () => new Date(hub))).toEqual([
    { event: "clock", aheadSeconds },
    handled,
  ]);
});

test("When no response of the hub has its time, a batch should measure nothing about it", async () => {
  expect(await loggedWith(undefined, () => undefined)).toEqual([handled]);
});
