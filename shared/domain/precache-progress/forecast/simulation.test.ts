import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aFleet, type Fleet, siteOf } from "../../../../test/support/precache/forecast-fleet.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../../precache-model/cluster-state.ts";
import { aWaitingRecord } from "../../precache-model/fixtures.ts";
import { slotChanges } from "../../precache-start/slot-changes.ts";
import { type Assumed, type Simulation, simulation } from "./simulation.ts";

const now = new Date("2026-03-01T02:00:00Z");
const gb = 10 ** 9;
const far = new Date("2026-03-20T00:00:00Z");

/** 9 GB at 100 Mbit/s are 12 minutes. */
const assumed: Assumed = { bytesTotalOf: () => 9 * gb, speedOf: () => ({ mbit: 100 }), startMs: 0 };

type Given = Readonly<{
  fleet: Fleet;
  assumed?: Partial<Assumed>;
  records?: Readonly<Record<string, Partial<ClusterRecord>>>;
}>;

function simulated({ fleet, records = {}, ...given }: Given): Simulation {
  return simulation({
    ...fleet,
    records: new Map(Object.entries(records).map(([cluster, fields]) => [cluster, aWaitingRecord(fields)])),
    now,
    assumed: { ...assumed, ...given.assumed },
  });
}

/** When each cluster ends, and how, in minutes from now. */
function endsOf(given: Given): Readonly<Record<string, string>> {
  const fleet = simulated(given);
  while (fleet.step(far));
  const ends = [...fleet.records].map(([cluster, { state, since }]) => [
    cluster,
    isFinalState(state) ? `${state} ${Math.round((Date.parse(since) - now.getTime()) / 60_000)}` : state,
  ]);
  return Object.fromEntries(ends);
}

const four = ["a1", "a2", "b1", "b2"];
const shared = {
  bytesTotalOf: assumed.bytesTotalOf,
  speedOf: (cluster: string) => ({ mbit: 100, link: siteOf(cluster) }),
};

describe("when clusters end", () => {
  const night = { night: { schedule: "4 1 * * *", duration: "1h" } };
  const onePerSite = { annotations: { "hubrelay.dev/max-per-site": "1" } };
  const half = { a1: { state: "Active", reason: "Pulling", bytesDone: 4.5 * gb } } as const;
  const [large, mostly, little] = [23 * gb, 21 * gb, 2 * gb];
  /** 0.75 GB of each in 4 minutes; in the next hour 1.25 GB of each, and then the rest of one. */
  const twoOnALink: Given = {
    fleet: aFleet(["a1", "a2"], { windows: night, annotations: { "hubrelay.dev/bandwidth": "100,a=50" } }),
    assumed: { bytesTotalOf: () => large, speedOf: (cluster) => ({ mbit: 50, link: siteOf(cluster) }) },
    records: {
      a1: { state: "Active", reason: "Pulling", bytesTotal: large, bytesDone: mostly },
      a2: { state: "Starting", reason: "Suspended", suspend: true, bytesTotal: large, bytesDone: little },
    },
  };
  const late = { a1: "PrecacheTimeout 10", a2: "PrecacheTimeout 20" };
  const offline: Given = {
    fleet: aFleet(["a1", "a2"], { maxConcurrency: 1 }),
    records: { a1: { state: "Starting", reason: "ClusterNotReached", started: "2026-03-01T01:00:00Z" } },
  };
  const unknownSpeed: Given = {
    fleet: aFleet(["a1", "b1"], { maxConcurrency: 1 }),
    assumed: { speedOf: (cluster) => (cluster === "a1" ? undefined : { mbit: 100 }) },
  };
  const ends = (minutes: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(minutes).map(([name, after]) => [name, `Succeeded ${after}`]));
  const nextNight = 23 * 60 + 4;

  test.for<readonly [what: string, given: Given, ends: Readonly<Record<string, string>>]>([
    [
      "three may run at a time",
      { fleet: aFleet(four, { maxConcurrency: 3 }) },
      ends({ a1: 12, a2: 12, b1: 12, b2: 24 }),
    ],
    ["one may run at a site", { fleet: aFleet(four, onePerSite) }, ends({ a1: 12, a2: 24, b1: 12, b2: 24 })],
    [
      "those of a site share its link",
      { fleet: aFleet(["a1", "a2", "b1"]), assumed: shared },
      ends({ a1: 24, a2: 24, b1: 12 }),
    ],
    // 4 minutes today, and 8 tomorrow.
    ["the window closes before", { fleet: aFleet(["a1"], { windows: night }) }, ends({ a1: nextNight + 8 })],
    ["one has pulled a half", { fleet: aFleet(["a1"]), records: half }, ends({ a1: 6 })],
    ["two share a link in two openings", twoOnALink, ends({ a1: nextNight + 7, a2: nextNight + 57 })],
    ["the deadline is short", { fleet: aFleet(["a1", "a2"], { maxConcurrency: 1, timeout: 10 }) }, late],
    ["one is offline, and others wait for a slot", offline, { a1: "NotStarted", a2: "Succeeded 12" }],
    ["the speed of one is unknown, which keeps its slot", unknownSpeed, { a1: "Active", b1: "NotStarted" }],
  ])("When $0, they should end as $2", ([, given, expected]) => {
    expect(endsOf(given)).toEqual(expected);
  });

  test("When a cluster does not start, it should say what it waits for", () => {
    const fleet = simulated({
      fleet: aFleet(["a1"], { annotations: { "hubrelay.dev/maintenance-window": "nigth" } }),
    });
    while (fleet.step(far));
    expect([...fleet.waiting()]).toEqual([
      ["a1", "default/nigth is closed for good; default/nigth: no such MaintenanceWindow."],
    ]);
  });
});

const names = ["a", "b", "c"].flatMap((site) => Array.from({ length: 5 }, (_, index) => `${site}${index}`));
const gigabytes = fc.constantFrom(1, 2, 5, 9);
const fleets = fc.record({
  order: fc.shuffledSubarray(names, { minLength: 1 }),
  maxConcurrency: fc.integer({ min: 1, max: 8 }),
  perSite: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  bandwidth: fc.option(fc.constantFrom("100", "100,a=20", "a=50,b=30,c=10"), { nil: undefined }),
  windows: fc.constantFrom<Readonly<Record<string, Readonly<Record<string, unknown>>>>>(
    {},
    { night: {} },
    { night: { schedule: "20 */3 * * *", duration: "1h" } },
    {
      a: { clusterSelector: { matchLabels: { site: "a" } }, atEnd: "Finish" },
      b: { clusterSelector: { matchLabels: { site: "b" } }, schedule: "0 2 * * *", duration: "40m" },
    },
  ),
  timeout: fc.constantFrom(30, 240),
  done: fc.array(gigabytes, { minLength: 15, maxLength: 15 }),
  states: fc.array(fc.constantFrom("none", "waiting", "active", "suspended", "succeeded", "offline"), {
    minLength: 15,
    maxLength: 15,
  }),
});

const stateFields: Readonly<Record<string, Partial<ClusterRecord>>> = {
  waiting: {},
  active: { state: "Active", reason: "Pulling", started: "2026-03-01T01:50:00Z" },
  suspended: { state: "Starting", reason: "Suspended", suspend: true },
  succeeded: { state: "Succeeded", reason: "Completed" },
  offline: { state: "NotStarted", reason: "ClusterNotReached" },
};

/** Clusters beyond a limit that was not exceeded before. */
function excess(fleet: Simulation, max: number, isIn: (cluster: string) => boolean, before: number): number {
  const holding = [...fleet.records].filter(([cluster, { state }]) => isIn(cluster) && isRunningState(state));
  return holding.length - Math.max(max, before);
}

test("When the simulation has taken a step, the functions of the hub should find nothing else to change", () => {
  fc.assert(
    fc.property(fleets, (given) => {
      const { order, maxConcurrency, perSite, bandwidth, windows, timeout, done, states } = given;
      const fleet = aFleet(order, {
        maxConcurrency,
        timeout,
        windows,
        annotations: {
          ...(perSite === undefined ? {} : { "hubrelay.dev/max-per-site": String(perSite) }),
          ...(bandwidth === undefined ? {} : { "hubrelay.dev/bandwidth": bandwidth }),
        },
      });
      const records = Object.fromEntries(
        order.flatMap((cluster, index) => {
          const fields = stateFields[states[index] ?? "none"];
          const bytes = { bytesTotal: 10 * gb, bytesDone: (done[index] ?? 0) * gb };
          return fields ? [[cluster, { ...fields, ...bytes }] as const] : [];
        }),
      );
      const speeds: Readonly<Record<string, number>> =
        bandwidth === "a=50,b=30,c=10" ? { a: 50, b: 30, c: 10 } : bandwidth === "100,a=20" ? { a: 20 } : {};
      const future = simulated({
        fleet,
        records,
        assumed: {
          bytesTotalOf: () => 10 * gb,
          speedOf: (cluster) => {
            const mbit = speeds[siteOf(cluster)];
            return mbit === undefined ? { mbit: 100 } : { mbit, link: siteOf(cluster) };
          },
        },
      });
      const running = (isIn: (cluster: string) => boolean) =>
        order.filter((cluster) => isIn(cluster) && isRunningState(future.records.get(cluster)?.state)).length;
      const before = new Map(
        ["a", "b", "c", ""].map((site) => [site, running((one) => one.startsWith(site))]),
      );
      for (let steps = 0; steps < 400; steps++) {
        const at = future.step(far);
        if (!at) return;
        const { changes } = slotChanges({
          ...fleet,
          records: future.records,
          startsHeldBy: undefined,
          worksOf: () => undefined,
          now: at,
        });
        expect([...changes], at.toISOString()).toEqual([]);
        expect(excess(future, maxConcurrency, () => true, before.get("") ?? 0)).toBeLessThanOrEqual(0);
        for (const site of ["a", "b", "c"])
          expect(
            excess(future, perSite ?? 99, (one) => siteOf(one) === site, before.get(site) ?? 0),
          ).toBeLessThanOrEqual(0);
      }
    }),
    { numRuns: 100 },
  );
});
