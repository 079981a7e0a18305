import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { loadOf, type WaitingCluster } from "./opening-loads.ts";
import { windowsView } from "./windows-view.ts";

const at = (time: string) => new Date(`2026-03-01T${time}:00Z`);
const opening = { start: at("04:00"), end: at("06:00") };
const gib = 1024 ** 3;
const ending = (time: string | undefined, bytes?: number): WaitingCluster => ({
  end: time === undefined ? undefined : at(time),
  bytes,
});

test.for([
  { what: "nothing waits", waiting: [], load: { clusters: 0, fitting: 0, unknown: 0 } },
  {
    what: "one is done before it opens",
    waiting: [ending("03:59", gib)],
    load: { clusters: 0, fitting: 0, unknown: 0 },
  },
  {
    what: "all are done when it closes",
    waiting: [ending("05:00", gib), ending("06:00", gib)],
    load: { clusters: 2, fitting: 2, unknown: 0, bytes: 2 * gib },
  },
  {
    what: "one needs the next opening, and the end of one is unknown",
    waiting: [ending("05:00", gib), ending("23:00"), ending(undefined)],
    load: { clusters: 3, fitting: 1, unknown: 1, bytes: gib },
  },
])("When $what, the load of an opening should be $load", ({ waiting, load }) => {
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
