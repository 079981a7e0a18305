import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { mirrorConfigWatches } from "../mirror-config/watches.ts";
import { allWatches } from "../watches.ts";
import { reportHeartbeat, tickWindows } from "./ticks.ts";

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

const now = () => new Date("2026-03-01T02:00:00Z");
const lease = { namespace: "hubrelay", name: "hubrelay-forwarder" };

/** Returns what a tick logs about a Lease with this heartbeat; without a Lease where there is none. */
async function logged(annotations?: Readonly<Record<string, string>>): Promise<readonly LogEntry[]> {
  const hub = memoryHub({ id: "urn:test:hub", now });
  const { apiVersion, kind } = kinds.Lease;
  if (annotations) hub.put({ apiVersion, kind, metadata: { ...lease, annotations } });
  const entries: LogEntry[] = [];
  await reportHeartbeat({ hub, lease, log: (entry) => entries.push(entry), now });
  return entries;
}

const silent = (silentSeconds: number) => [
  { event: "heartbeat-read", lease: "hubrelay/hubrelay-forwarder", silentSeconds },
];

test.for([
  { title: "had one a minute ago", at: "2026-03-01T01:59:00.000Z", expected: silent(60) },
  { title: "has been silent for an hour", at: "2026-03-01T01:00:00.000Z", expected: silent(3_600) },
  { title: "has a clock that is ahead", at: "2026-03-01T02:00:09.000Z", expected: silent(0) },
  { title: "wrote no time", at: "soon", expected: [] },
])("When the forwarder $title, the tick should measure its silence", async ({ at, expected }) => {
  expect(await logged({ "hubrelay.dev/heartbeat": at })).toEqual(expected);
});

test.for([
  { title: "there is no Lease", annotations: undefined },
  { title: "the forwarder never had a heartbeat", annotations: {} },
])("When $title, the tick should measure nothing: absent data raises the alarm", async ({ annotations }) => {
  expect(await logged(annotations)).toEqual([]);
});

test("When the Lease may not be read, the tick should say so and go on", async () => {
  const hub = {
    ...memoryHub({ id: "urn:test:hub", now }),
    get: async () => {
      throw new HubError("Forbidden", "get Lease hubrelay-forwarder: forbidden");
    },
  };
  const entries: LogEntry[] = [];
  await reportHeartbeat({ hub, lease, log: (entry) => entries.push(entry), now });
  expect(entries).toMatchObject([
    { event: "retry", key: "hubrelay/hubrelay-forwarder", error: expect.stringContaining("forbidden") },
  ]);
});
