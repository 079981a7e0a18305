import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { mirrorConfigWatches } from "../mirror-config/watches.ts";
import { allWatches } from "../watches.ts";
import { tickWindows } from "./window-tick.ts";

/** Ticks for these functions until three minutes are over; the queue rejects the second message. */
async function threeMinutes(served: typeof allWatches) {
  const hub = memoryHub({ id: "urn:test:hub", now: () => new Date("2026-03-01T02:00:00Z") });
  for (const window of [aWindow("night"), aWindow("noon")]) hub.put(window);
  const stop = new AbortController();
  const sent: string[] = [];
  const entries: LogEntry[] = [];
  let minutes = 0;
  await tickWindows({
    hub,
    served,
    queue: (name) =>
      sendingQueue(name, async (messages) => {
        sent.push(...messages.map(({ body }) => `${minutes}: ${name} ${JSON.parse(body).data.name}`));
        if (minutes === 2) throw new QueueError("SendFailed", "it is down");
      }),
    signal: stop.signal,
    log: (entry) => entries.push(entry),
    now: () => new Date(minutes * 60_000),
    async delay(ms) {
      expect(ms).toBe(60_000);
      if (++minutes > 3) stop.abort();
    },
  });
  return { sent, entries };
}

test("When minutes pass, each should send one reference for all windows, also after a failure", async () => {
  const { sent, entries } = await threeMinutes(allWatches);
  expect(sent).toEqual([1, 2, 3].map((minute) => `${minute}: maintenance-windows night`));
  expect(entries).toEqual([
    { event: "windows-ticked", atMs: 60_000 },
    expect.objectContaining({
      event: "retry",
      key: "maintenance-window",
      error: expect.stringContaining("down"),
    }),
    { event: "windows-ticked", atMs: 180_000 },
  ]);
});

test("When the windows' function is not served, nothing should be sent", async () => {
  expect(await threeMinutes([mirrorConfigWatches])).toEqual({ sent: [], entries: [] });
});
