import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { loadOf, type WaitingCluster, windowsView } from "./windows-view.ts";

const nights = { schedule: "0 2 * * *", timeZone: "UTC", duration: "1h", clusterSelector: {} };
const rowsOf = (spec: Parameters<typeof windowObject>[0], objects: Parameters<typeof snapshotOf>[0] = []) =>
  windowsView(snapshotOf([windowObject(spec), ...objects]), {}).windows;

test.for([
  ["nights", nights, 15, true],
  ["weekends", { ...nights, schedule: "0 2 * * SAT" }, 3, false],
  ["new year", { ...nights, schedule: "0 2 1 1 *" }, 0, false],
  ["every minute", { ...nights, schedule: "* * * * *", duration: "30s" }, 800, true],
  ["nonsense", { ...nights, schedule: "nonsense" }, 0, false],
] as const)(
  "When a window opens at $0, the calendar should have $2 openings",
  ([, spec, openings, isOpen]) => {
    const [row] = rowsOf(spec);
    expect(row?.openings).toHaveLength(openings);
    expect(row?.isOpen).toBe(isOpen);
  },
);

test("When a window opens after two weeks, the next opening should still be listed", () => {
  const [row] = rowsOf({ ...nights, schedule: "0 2 1 1 *" });
  expect(row?.next.map(({ start }) => start.toISOString())).toEqual(["2027-01-01T02:00:00.000Z"]);
});

test("When a window has freezes, those of the calendar should be shown in its zone's dates", () => {
  const exclusions = [
    { from: "2026-03-03", to: "2026-03-04", reason: "audit" },
    { from: "2026-12-01", to: "2026-12-31" },
  ];
  const [row] = rowsOf({ ...nights, timeZone: "Asia/Tokyo", exclusions });
  expect(row?.freezes).toEqual([
    { start: new Date("2026-03-02T15:00:00Z"), end: new Date("2026-03-04T15:00:00Z"), reason: "audit" },
  ]);
  expect(row?.openings).toHaveLength(13);
});

test("When a window cannot be read, its error should say why it never opens", () => {
  const [row] = rowsOf({ ...nights, timeZone: "Mars/Base" });
  expect(row).toMatchObject({ isOpen: false, allows: "nothing", openings: [], next: [] });
  expect(row?.problem).toMatch(/^spec\.timeZone: /);
});

test("When the address names a window, it should be selected, and a missing one named", () => {
  const snapshot = snapshotOf([windowObject(nights)]);
  expect(windowsView(snapshot, { window: "fleet/night" })).toMatchObject({
    windows: [{ isSelected: true }],
    missing: undefined,
  });
  expect(windowsView(snapshot, { window: "fleet/other" }).missing).toBe("fleet/other");
});

const at = (time: string) => new Date(`2026-03-01T${time}:00Z`);
const opening = { start: at("04:00"), end: at("06:00") };
const gib = 1024 ** 3;
const ending = (time: string | undefined, bytes?: number): WaitingCluster => ({
  end: time === undefined ? undefined : at(time),
  bytes,
});

test.for([
  ["nothing waits", [], { clusters: 0, fitting: 0, unknown: 0 }],
  ["one is done before it opens", [ending("03:59", gib)], { clusters: 0, fitting: 0, unknown: 0 }],
  [
    "all are done when it closes",
    [ending("05:00", gib), ending("06:00", gib)],
    { clusters: 2, fitting: 2, unknown: 0, bytes: 2 * gib },
  ],
  [
    "one needs the next opening, and the end of one is unknown",
    [ending("05:00", gib), ending("23:00"), ending(undefined)],
    { clusters: 3, fitting: 1, unknown: 1, bytes: gib },
  ],
] as const)("When $0, the load of an opening should be $2", ([, waiting, load]) => {
  expect(loadOf(opening, waiting)).toEqual({ bytes: undefined, ...load });
});

test("When clusters and a change wait for a window, its openings should have them with their bytes and the forecast", () => {
  // 9 GB at 10 Mbit/s are two hours. Nobody knows when a cluster without contact has its images.
  const total = 9 * 10 ** 9;
  const fleet = aFleet(
    {
      sno0: { state: "Succeeded", bytesDone: total, bytesTotal: total },
      sno1: undefined,
      sno2: { state: "Starting", reason: "ClusterNotReached" },
    },
    { maxConcurrency: 1, annotations: { "hubrelay.dev/bandwidth": "10" } },
  );
  const held = {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      namespace: "default",
      name: "worker.1",
      annotations: { "hubrelay.dev/waits-for": "fleet/night" },
    },
    reason: "ChangeWaitsForWindow",
    involvedObject: { kind: kinds.MachineConfigPool.kind, name: "worker" },
  };
  const night = windowObject({ schedule: "0 4 * * *", timeZone: "UTC", duration: "3h", clusterSelector: {} });
  const [row] = windowsView(snapshotOf([night, ...fleet, held]), {}).windows;
  expect(row?.next.slice(0, 2).map(({ load, changes }) => ({ ...load, changes }))).toEqual([
    { clusters: 2, fitting: 1, unknown: 1, bytes: 2 * total, changes: ["MachineConfigPool worker"] },
    { clusters: 1, fitting: 0, unknown: 1, bytes: total, changes: [] },
  ]);
});
