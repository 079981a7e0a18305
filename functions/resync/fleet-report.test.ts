import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { heldSeconds, reportFleet, reportFleetUntil } from "./fleet-report.ts";

const now = () => new Date("2026-03-01T12:00:00Z");

/** Counts the lists of a hub. */
function countedHub() {
  const hub = memoryHub({ id: "urn:hub", now });
  let lists = 0;
  const list: typeof hub.list = (...args) => {
    lists++;
    return hub.list(...args);
  };
  return { put: hub.put, reader: { ...hub, list }, lists: () => lists };
}

async function reported(hub: Parameters<typeof reportFleet>[0]["hub"]): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  await reportFleet({ hub, log: (entry) => entries.push(entry), now });
  return entries;
}

test("When a hub has no upgrade, three lists should be enough", async () => {
  const hub = countedHub();
  expect(await reported(hub.reader)).toEqual([
    { event: "fleet-measured", upgrades: [], heldSeconds: 0, access: [] },
  ]);
  expect(hub.lists()).toBe(3);
});

test("When upgrades are planned, their number should not change the number of requests", async () => {
  const hub = countedHub();
  for (const name of ["a", "b", "c"]) hub.put(aStoredUpgrade(["sno1", "sno2"], { name }));
  const [entry] = await reported(hub.reader);
  expect(entry).toMatchObject({
    upgrades: ["default/a", "default/b", "default/c"].map((upgrade) => ({ upgrade, failedShare: 0 })),
  });
  expect(hub.lists()).toBe(7);
});

test("When upgrades are measured, the process should do other work after each", async () => {
  const hub = countedHub();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) hub.put(aStoredUpgrade(["sno1", "sno2"], { name }));
  let isDone = false;
  const reporting = reported(hub.reader).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await setImmediate();
  await reporting;
  expect(turns).toBeGreaterThanOrEqual(names.length);
});

test("When something may not be listed, the log should have the reason, and nothing is thrown", async () => {
  const list = async () => {
    throw new HubError("Forbidden", "list Event: forbidden");
  };
  expect(await reported({ ...countedHub().reader, list })).toMatchObject([
    { event: "retry", key: "fleet", error: expect.stringContaining("forbidden"), delaySeconds: 300 },
  ]);
});

test("When a process leads, it should measure at once and every five minutes, until it stops", async () => {
  const stop = new AbortController();
  const entries: LogEntry[] = [];
  const delays: number[] = [];
  await reportFleetUntil(stop.signal, {
    hub: countedHub().reader,
    log: (entry) => entries.push(entry),
    now,
    delay: async (ms) => {
      delays.push(ms);
      if (delays.length === 2) stop.abort();
    },
  });
  expect(entries).toHaveLength(2);
  expect(delays).toEqual([300_000, 300_000]);
});

/** An Event about a pool with this reason, first created at this time. */
const anEvent = (reason: string, firstTimestamp?: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: `worker.${reason}`, namespace: "default" },
  involvedObject: { kind: "MachineConfigPool", name: "worker" },
  reason,
  ...(firstTimestamp ? { firstTimestamp } : {}),
});

test.for<readonly [string, readonly KubernetesObject[], number]>([
  ["no change is held", [anEvent("InvalidScope", "2026-03-01T10:00:00Z")], 0],
  ["a change waits for its window", [anEvent("ChangeWaitsForWindow", "2026-02-26T12:00:00Z")], 72 * 3_600],
  [
    "two changes are held, the older one counts",
    [anEvent("ChangeHeld", "2026-03-01T11:00:00Z"), anEvent("ChangeHeld", "2026-03-01T10:00:00Z")],
    2 * 3_600,
  ],
  ["the Event has no time", [anEvent("ChangeHeld")], 0],
])("When %s, the time since then should be measured", ([, events, seconds]) => {
  expect(heldSeconds(events, now())).toBe(seconds);
});
