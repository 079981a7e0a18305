import { expect, test } from "vitest";
import { seededRandom } from "../../../../cli/simulation/fates.ts";
import { aFleet, type Fleet, siteOf } from "../../../../test/support/precache/forecast-fleet.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { isFinalState } from "../../precache-model/cluster-state.ts";
import type { CompletePull } from "../../precache-model/precaching-report.ts";
import { slotChanges } from "../../precache-start/slot-changes.ts";
import { recordInTime } from "../deadlines.ts";
import { recordAfter } from "../record-after.ts";
import { type Forecast, forecast, lateness } from "./forecast.ts";

/*
 * Fleets that are not the simulation: time goes on in ticks, as a deployment reconciles, all clusters are decided about
 * whenever one has changed, and every run has a speed of its own, which no forecast knows.
 */

const now = new Date("2026-03-01T00:30:00Z");
const tickMs = 30_000;
/** Windows open and close at such times, too. */
const resyncMs = 600_000;
const mb = 10 ** 6;

type Drawn = Readonly<{
  fleet: Fleet;
  bytes: number;
  /** The speed of each run that will be, in Mbit/s. */
  mbit: ReadonlyMap<string, number>;
  startTicks: ReadonlyMap<string, number>;
  pulls: ReadonlyMap<string, CompletePull>;
  /** How much of its download a run has when it fails. */
  failsAt: ReadonlyMap<string, number>;
}>;

/** Draws a fleet. Runs of a site vary by up to 15 % around its speed, those before, which are known, as those that come. */
function drawn(seed: number, failures = 0): Drawn {
  const random = seededRandom(seed);
  const between = (min: number, max: number) => min + random() * (max - min);
  const whole = (min: number, max: number) => Math.floor(between(min, max + 1));
  const sites = ["a", "b", "c", "d", "e"].slice(0, whole(2, 5));
  const clusters = sites.flatMap((site) =>
    Array.from({ length: whole(10, 16) }, (_, index) => `${site}${index}`),
  );
  const speeds = new Map(sites.map((site) => [site, between(40, 160)]));
  const speed = (cluster: string) => (speeds.get(siteOf(cluster)) ?? 0) * between(0.85, 1.15);
  const isLimitedBySite = random() < 0.4;
  const hasWindows = random() < 0.4;
  const bytes = Math.round(between(4_000, 12_000)) * mb;
  const fleet = aFleet(
    clusters.toSorted(() => random() - 0.5),
    {
      maxConcurrency: whole(3, 6),
      timeout: 400,
      annotations: isLimitedBySite ? { "hubrelay.dev/max-per-site": "2" } : {},
      windows: hasWindows ? { night: { schedule: "0 1 * * *", duration: `${whole(2, 4)}h` } } : {},
    },
  );
  const pulls = clusters.map((cluster): [string, CompletePull] => {
    const from = now.getTime() - 40 * 86_400_000;
    const until = from + (3_000 * mb) / (speed(cluster) * 125);
    return [
      cluster,
      { bytes: 3_000 * mb, from: new Date(from).toISOString(), until: new Date(until).toISOString() },
    ];
  });
  return {
    fleet,
    bytes,
    mbit: new Map(clusters.map((cluster) => [cluster, speed(cluster)])),
    startTicks: new Map(clusters.map((cluster) => [cluster, whole(0, 2)])),
    pulls: new Map(pulls),
    failsAt: new Map(clusters.slice(0, failures).map((cluster) => [cluster, between(0.1, 0.9)])),
  };
}

type World = Readonly<{ records: ReadonlyMap<string, ClusterRecord>; now: Date }>;

/** Yields what the hub knows after each tick with a change, until every cluster has ended. */
function* ticks({ fleet, bytes, mbit, startTicks, failsAt }: Drawn): Generator<World> {
  const { upgrade } = fleet;
  const records = new Map<string, ClusterRecord>();
  const done = new Map<string, number>();
  const waits = new Map<string, number>();
  const reportOf = (cluster: string, record: ClusterRecord) => {
    if (record.suspend) return { suspended: "True" };
    const before = done.get(cluster) ?? 0;
    const wait = waits.get(cluster) ?? startTicks.get(cluster) ?? 0;
    waits.set(cluster, wait - 1);
    const after = wait > 0 ? before : Math.min(bytes, before + (mbit.get(cluster) ?? 0) * 125 * tickMs);
    done.set(cluster, after);
    const counts = { bytesDone: Math.floor(after), bytesTotal: bytes };
    if (after >= (failsAt.get(cluster) ?? 2) * bytes)
      return { failedStatus: "True", failedReason: "BackoffLimitExceeded", ...counts };
    return after >= bytes ? { complete: "True", ...counts } : { active: 1, ...counts };
  };
  let isChanged = true;
  for (let time = now.getTime(); ; time += tickMs) {
    const at = new Date(time);
    for (const [cluster, record] of records) {
      const isPaused = record.reason === "Suspended" && record.suspend === true;
      if (isFinalState(record.state) || isPaused) continue;
      const run = { cgu: upgrade.name, revision: upgrade.revision, attempt: record.attempt };
      const feedback = { run, applied: "True" as const, values: reportOf(cluster, record) };
      const after = recordInTime(recordAfter(record, feedback, at), upgrade.timeoutMinutes, at);
      records.set(cluster, after);
      isChanged ||= after.state !== record.state;
    }
    if (isChanged || (time - now.getTime()) % resyncMs === 0) {
      const { changes } = slotChanges({
        ...fleet,
        records,
        startsHeldBy: undefined,
        worksOf: () => undefined,
        now: at,
      });
      for (const [cluster, { record }] of changes) records.set(cluster, record);
      yield { records, now: at };
      isChanged = false;
      if (upgrade.clusters.every((cluster) => isFinalState(records.get(cluster)?.state))) return;
    }
  }
}

const forecastOf = ({ fleet, bytes, pulls }: Drawn, world: World, by?: Date): Forecast =>
  forecast({ ...fleet, ...world, pulls, measuredBytesOf: () => bytes }, by);

function last(world: Generator<World>): World {
  let found: World = { records: new Map(), now };
  for (const one of world) found = one;
  return found;
}

const seeds = Array.from({ length: 25 }, (_, index) => index + 1);

test("When 25 fleets without failures are forecast, 95 % of ends should be within 10 % of the span, and no cluster late that was in time", () => {
  const ends = seeds.flatMap((seed) => {
    const fleet = drawn(seed);
    const said = forecastOf(fleet, { records: new Map(), now });
    const span = Date.parse(said.expectedEnd ?? "") - now.getTime();
    const { records } = last(ticks(fleet));
    return said.byCluster.map((one) => {
      const end = Date.parse(records.get(one.name)?.since ?? "");
      const off = Math.abs(end - Date.parse(one.expectedEnd ?? "")) / span;
      return { seed, name: one.name, off, isInTime: end <= Date.parse(one.latestEnd ?? "") };
    });
  });
  const close = ends.filter(({ off }) => off <= 0.1).length;
  expect(close / ends.length).toBeGreaterThanOrEqual(0.95);
  expect(ends.filter(({ isInTime }) => !isInTime)).toEqual([]);
});

test("When clusters fail, they should be late at the tick at which that is known", () => {
  for (const seed of seeds.slice(0, 8)) {
    const fleet = drawn(seed, 2);
    const by = new Date(now.getTime() + 20 * 86_400_000);
    let failed = 0;
    for (const world of ticks(fleet)) {
      const known = [...world.records.values()].filter(({ state }) => state === "UnrecoverableError").length;
      if (known === failed) continue;
      failed = known;
      const said = forecastOf(fleet, world, by);
      expect(said.late).toBe(known);
      expect(forecastOf(fleet, world).late).toBe(known);
      expect(
        said.byCluster
          .filter((one) => lateness(one, by.toISOString()) === "late")
          .map(({ name }) => name)
          .sort(),
      ).toEqual(
        [...fleet.failsAt.keys()]
          .filter((name) => world.records.get(name)?.state === "UnrecoverableError")
          .sort(),
      );
      if (failed === 2) break;
    }
    expect(failed).toBe(2);
  }
});
