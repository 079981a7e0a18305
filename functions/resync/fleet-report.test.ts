import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { HubError } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { heldChanges, reportFleet, reportFleetUntil } from "./fleet-report.ts";

const now = () => new Date("2026-03-01T12:00:00Z");
const held = { oldestSeconds: 0, openings: 0 };

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

const sunday = new Date("2026-03-08T12:00:00Z");

type About = Readonly<{ name?: string; since?: string; window?: string }>;

/** An Event with this reason. */
function anEvent(reason: string, { name = "worker", since, window }: About = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name}.${reason}`,
      namespace: "default",
      ...(window ? { annotations: { "hubrelay.dev/waits-for": window } } : {}),
    },
    involvedObject: { kind: "MachineConfigPool", name },
    reason,
    type: "Warning",
    ...(since ? { firstTimestamp: since } : {}),
  };
}

/** Opens every night. */
const night = windowObject({ allow: { maxCost: { worker: "drain" } } });
/** Opens at the same time, and allows no change of a pool. */
const { metadata, ...preCaching } = windowObject();
const other = { ...preCaching, metadata: { ...metadata, name: "pre-caching" } };
const hour = 3_600;
const none = { oldestSeconds: 0, openings: 0 };
const pools = (events: readonly KubernetesObject[], windows = [night, other]) =>
  heldChanges(events, windows, sunday);

test.for<readonly [string, readonly KubernetesObject[], typeof none]>([
  ["there is none", [], none],
  ["an Event says something else", [anEvent("InvalidScope")], none],
  [
    "its window has opened three times since",
    [anEvent("ChangeWaitsForWindow", { window: "fleet/night", since: "2026-03-05T12:00:00Z" })],
    { oldestSeconds: 72 * hour, openings: 3 },
  ],
  [
    "it was made while a window was open",
    [anEvent("ChangeWaitsForWindow", { window: "fleet/night", since: "2026-03-08T02:00:00Z" })],
    { oldestSeconds: 10 * hour, openings: 0 },
  ],
  [
    "no window allows it, the windows for pools count",
    [anEvent("ChangeHeld", { since: "2026-03-06T12:00:00Z" })],
    { oldestSeconds: 48 * hour, openings: 2 },
  ],
  [
    "two pools have one, the older one counts",
    [
      anEvent("ChangeHeld", { since: "2026-03-08T11:00:00Z" }),
      anEvent("ChangeHeld", { name: "master", since: "2026-03-08T10:00:00Z" }),
    ],
    { oldestSeconds: 2 * hour, openings: 0 },
  ],
  ["the Event has no time", [anEvent("ChangeHeld")], { oldestSeconds: 0, openings: 0 }],
])(
  "When of changes that are held %s, their age and the openings since should follow",
  ([, events, expected]) => {
    expect(pools(events)).toEqual(expected);
  },
);

test("When only windows for pre-caching opened, a held change should have missed none", () => {
  const held = anEvent("ChangeHeld", { since: "2026-03-01T12:00:00Z" });
  expect(pools([held], [other]).openings).toBe(0);
});
