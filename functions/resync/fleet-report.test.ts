import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { anUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { reportFleet, reportFleetUntil } from "./fleet-report.ts";

const now = () => new Date("2026-03-01T12:00:00Z");
const quiet = { oldestSeconds: 0, openings: 0 };
const held = [
  { kind: "MachineConfigPool", ...quiet },
  { kind: "HostedCluster", ...quiet },
];

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
  expect(await reported(hub.reader)).toEqual([{ event: "fleet-measured", upgrades: [], held, access: [] }]);
  expect(hub.lists()).toBe(3);
});

test("When upgrades are planned, their number should not change the number of requests", async () => {
  const hub = countedHub();
  for (const name of ["a", "b", "c"]) hub.put(anUpgrade(["sno1", "sno2"], { name }));
  const [entry] = await reported(hub.reader);
  expect(entry).toMatchObject({
    upgrades: ["default/a", "default/b", "default/c"].map((upgrade) => ({ upgrade, failedShare: 0 })),
  });
  expect(hub.lists()).toBe(7);
});

test("When upgrades are measured, the process should do other work after each", async () => {
  const hub = countedHub();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) hub.put(anUpgrade(["sno1", "sno2"], { name }));
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
