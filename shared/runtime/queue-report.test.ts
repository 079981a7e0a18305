import { expect, test } from "vitest";
import type { LogEntry } from "../ports/log.ts";
import { type Queue, QueueError } from "../ports/queue.ts";
import { reportQueues } from "./queue-report.ts";

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
