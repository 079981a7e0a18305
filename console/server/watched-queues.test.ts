import { expect, onTestFinished, test } from "vitest";
import { type Queue, QueueError } from "#shared/ports/queue.ts";
import { unknownQueues, watchQueues } from "./watched-queues.ts";

const unavailable = () => Promise.reject(new QueueError("QueueUnavailable", "connect ECONNREFUSED"));

/** A queue of which only the depth is asked. */
function queueWith(depth: () => Promise<number>): Pick<Queue, "depth"> {
  return { depth: async () => ({ visible: await depth(), inFlight: 0, delayed: 0 }) };
}

/** Watches two queues, whose depths and time the test sets. */
function watched(depths: { waiting: number; dead: () => Promise<number> }) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const clock = { now: new Date("2026-03-01T02:00:00Z") };
  const queues = [
    {
      name: "plans",
      queue: queueWith(async () => depths.waiting),
      deadLetters: async () => queueWith(() => depths.dead()),
    },
    { name: "lost", queue: queueWith(unavailable), deadLetters: unavailable },
  ];
  return { clock, queues: watchQueues(queues, stop.signal, () => clock.now) };
}

test("When a queue stays busy, it should be known since when, until it was empty once", async () => {
  const depths = { waiting: 4, dead: async () => 1 };
  const { clock, queues } = watched(depths);
  await queues.ask();
  clock.now = new Date("2026-03-01T02:10:00Z");
  depths.waiting = 9;
  await queues.ask();
  const busySince = new Date("2026-03-01T02:00:00Z");
  const lost = { name: "lost", unknown: "connect ECONNREFUSED" };
  expect(queues.facts()).toEqual({ all: [{ name: "plans", waiting: 9, deadLetters: 1, busySince }, lost] });
  depths.waiting = 0;
  await queues.ask();
  expect(queues.facts()).toEqual({ all: [{ name: "plans", waiting: 0, deadLetters: 1 }, lost] });
});

test("When dead letters may not be counted, it should say why, and still know what waits", async () => {
  const { queues } = watched({ waiting: 0, dead: unavailable });
  await queues.ask();
  expect(queues.facts()).toMatchObject({
    all: [{ name: "plans", waiting: 0, deadLettersUnknown: "connect ECONNREFUSED" }, {}],
  });
});

test("When there are no queues, it should keep the reason", () => {
  expect(unknownQueues("nothing names them").facts()).toEqual({ unknown: "nothing names them" });
});
