import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reported } from "../../../test/support/precache/precache-objects.ts";
import { aManagedCluster } from "../../../test/support/precache/precache-plan-objects.ts";
import {
  anUpgrade,
  overUpgrade,
  runOfUpgrade,
  workFor,
} from "../../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../../test/support/precache/precache-system.ts";
import { aWindow } from "../../../test/support/precache/precache-windows.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { ClusterRecord, Records } from "../precache-model/cluster-record.ts";
import { isRunningState } from "../precache-model/cluster-state.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { plannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { maySlotBeTaken, type Situation, type Surroundings, slotChanges } from "./slot-changes.ts";
import { withSuspend } from "./work/manifest-work.ts";

/** At noon, when `aWindow` is closed; at `now` it has been open for an hour and closes in another. */
const noon = new Date("2026-03-01T12:00:00Z");
const gib = 1024 ** 3;

type Given = Partial<Surroundings> &
  Readonly<{
    records?: Readonly<Record<string, Partial<ClusterRecord>>>;
    /** `undefined` stands for ManifestWorks that were not read. */
    works?: readonly KubernetesObject[] | undefined;
    now?: Date;
  }>;

const recordsFrom = (records: Readonly<Record<string, Partial<ClusterRecord>>>): Records =>
  new Map(Object.entries(records).map(([cluster, fields]) => [cluster, aWaitingRecord(fields)]));

function aSituation(cgu: KubernetesObject, given: Given = {}): Situation {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const { records = {}, now: at = now, ...surroundings } = given;
  const works = "works" in given ? given.works : [];
  return {
    upgrade,
    cgu,
    records: recordsFrom(records),
    surroundings: {
      windows: [],
      configs: [],
      managedClusters: upgrade.clusters.map((cluster) => aManagedCluster(cluster)),
      others: [],
      ...surroundings,
    },
    startsHeldBy: undefined,
    worksOf: (cluster) => works?.filter(({ metadata }) => metadata.namespace === cluster),
    now: at,
  };
}

const changesFor = (cgu: KubernetesObject, given?: Given) =>
  [...slotChanges(aSituation(cgu, given)).changes].map(
    ([cluster, { verdict, reason }]) => `${cluster} ${verdict}: ${reason}`,
  );
/** The record of sno1 after the changes. */
const recordAfter = (cgu: KubernetesObject, given: Given) =>
  slotChanges(aSituation(cgu, given)).changes.get("sno1")?.record;

const one = anUpgrade(["sno1"]);
const night = aWindow("night");
const finishing = aWindow("night", { atEnd: "Finish" });
/** Half an hour pulls 4.2 GiB on the cluster's link. */
const slow = { annotations: { "hubrelay.dev/bandwidth": "20" } };
const longDownload = { bytesTotal: 10 * gib, bytesDone: gib };
const other = (fields: Parameters<typeof anUpgrade>[1] = {}, createdAt = "2026-03-01T00:00:00Z") => {
  const { metadata, ...cgu } = anUpgrade(["sno1"], { name: "earlier", ...fields });
  return { ...cgu, metadata: { ...metadata, creationTimestamp: createdAt } };
};
const waitsForEarlier = "Waits for ClusterGroupUpgrade/default/earlier, which pre-caches this cluster first.";
const closed = "default/night is closed until 2026-03-02T01:00:00Z.";
const starts = ["sno1 start: It has a slot."];
const newer = "2026-03-01T01:30:00Z";

type Case = Readonly<{ name: string; cgu?: KubernetesObject; given?: Given; changes: readonly string[] }>;

describe("a cluster that waits", () => {
  const cases: readonly Case[] = [
    { name: "it waits for its attempt", given: { records: { sno1: {} } }, changes: starts },
    {
      name: "it has returned, and its suspended Job waits for a slot",
      given: { records: { sno1: { reason: "Returned", suspend: true } } },
      changes: starts,
    },
    { name: "its window is open", given: { windows: [night] }, changes: starts },
    { name: "the window is closed", given: { windows: [night], now: noon }, changes: [] },
    {
      name: "the upgrade names a window that does not exist",
      cgu: anUpgrade(["sno1"], { annotations: { "hubrelay.dev/maintenance-window": "nigth" } }),
      changes: [],
    },
    {
      name: "the only window does not allow pre-caching",
      given: { windows: [aWindow("night", { allow: { preCaching: false } })] },
      changes: [],
    },
    {
      name: "the rest of the opening is too short for the download",
      cgu: anUpgrade(["sno1"], slow),
      given: { windows: [night], records: { sno1: longDownload } },
      changes: [],
    },
    {
      name: "the download fits the rest of the opening",
      cgu: anUpgrade(["sno1"], slow),
      given: { windows: [night], records: { sno1: { ...longDownload, bytesDone: 9 * gib } } },
      changes: starts,
    },
    { name: "an older upgrade has planned it", given: { others: [other()] }, changes: [] },
    { name: "a newer upgrade has planned it", given: { others: [other({}, newer)] }, changes: starts },
    {
      name: "a newer upgrade runs on it already",
      given: { others: [other({ states: { sno1: "Active" } }, newer)] },
      changes: [],
    },
    {
      name: "TALM runs an upgrade of its own on it",
      given: { others: [{ ...other(), status: { precaching: { status: { sno1: "Starting" } } } }] },
      changes: [],
    },
    {
      name: "the other upgrades have no pre-caching or invalid fields",
      given: {
        others: [
          { ...other(), status: undefined },
          { ...other(), status: { precaching: { clusters: "sno1", status: { sno1: 1 } } } },
          { ...other(), status: { precaching: { clusters: ["sno2"], status: "Active" } } },
        ],
      },
      changes: starts,
    },
    {
      name: "it has succeeded",
      given: { records: { sno1: { state: "Succeeded", reason: "Completed" } } },
      changes: [],
    },
    { name: "the upgrade is over", cgu: overUpgrade(one), changes: [] },
  ];

  test.for(cases)("When $name, it should start only if it may", ({ cgu = one, given, changes }) => {
    expect(changesFor(cgu, given)).toEqual(changes);
  });

  test("When it gets a slot, its record should say so, with its attempt and what is pulled already", () => {
    const given = { records: { sno1: { attempt: 2, bytesDone: 3, bytesTotal: 9 } } };
    expect(recordAfter(one, { ...given, now: noon })).toEqual({
      state: "PreparingToStart",
      reason: "Claimed",
      message: "It has a slot and is being started.",
      attempt: 2,
      since: "2026-03-01T12:00:00Z",
      started: "2026-03-01T12:00:00Z",
      bytesDone: 3,
      bytesTotal: 9,
    });
  });

  test("When one that has returned gets a slot, its Job should be resumed", () => {
    const given: Given = { records: { sno1: { reason: "Returned", suspend: true } } };
    expect(recordAfter(one, given)).toMatchObject({ state: "PreparingToStart", suspend: false });
  });
});

describe("a cluster with a slot whose ManifestWork does not exist", () => {
  const records = { sno1: { state: "PreparingToStart", reason: "Claimed" } } as const;
  const rival = { others: [other({ states: { sno1: "Active" } })] };
  const cases: readonly Case[] = [
    { name: "nothing has changed", given: { records }, changes: [] },
    {
      name: "the window closes",
      given: { records, windows: [night], now: noon },
      changes: [`sno1 give back: ${closed}`],
    },
    {
      name: "another upgrade has started on it",
      given: { records, ...rival },
      changes: [`sno1 give back: ${waitsForEarlier}`],
    },
    { name: "an older upgrade has only planned it", given: { records, others: [other()] }, changes: [] },
    {
      name: "the window closes, but the ManifestWork exists by now",
      given: { records, works: [workFor(one, "sno1")], windows: [night], now: noon },
      changes: [],
    },
    {
      name: "another upgrade has started on it, but the ManifestWorks were not read",
      given: { records, works: undefined, ...rival },
      changes: [],
    },
  ];

  test.for(cases)("When $name, it should give its slot back only if it has to", ({ given, changes }) => {
    expect(changesFor(one, given)).toEqual(changes);
  });

  test("When it gives its slot back, it should wait as before, with what is pulled already", () => {
    const counted = { ...records.sno1, attempt: 3, started: "2026-03-01T02:00:00Z", bytesTotal: 9 };
    expect(recordAfter(one, { records: { sno1: counted }, ...rival, now: noon })).toEqual({
      state: "NotStarted",
      reason: "Waiting",
      message: "",
      attempt: 3,
      since: "2026-03-01T12:00:00Z",
      bytesTotal: 9,
    });
  });
});

describe("a cluster that runs", () => {
  const pulls = { state: "Active", reason: "Pulling" } as const;
  const held = { state: "Starting", reason: "Suspended", suspend: true } as const;
  const works = [workFor(one, "sno1")];
  const cases: readonly Case[] = [
    { name: "no window restricts it", given: { records: { sno1: pulls }, works }, changes: [] },
    { name: "its window is open", given: { records: { sno1: pulls }, works, windows: [night] }, changes: [] },
    {
      name: "the window closes",
      given: { records: { sno1: pulls }, works, windows: [night], now: noon },
      changes: [`sno1 suspend: ${closed}`],
    },
    {
      name: "the window closes and lets running Jobs finish",
      given: { records: { sno1: pulls }, works, windows: [finishing], now: noon },
      changes: [],
    },
    {
      name: "the window is closed and the Job is to be suspended already",
      given: { records: { sno1: { ...pulls, suspend: true } }, works, windows: [night], now: noon },
      changes: [],
    },
    {
      name: "the window opens",
      given: { records: { sno1: held }, works, windows: [night] },
      changes: ["sno1 resume: No window restricts it now."],
    },
    {
      name: "the window is deleted",
      given: { records: { sno1: held }, works },
      changes: ["sno1 resume: No window restricts it now."],
    },
    {
      name: "the window opens, but the download does not fit",
      cgu: anUpgrade(["sno1"], slow),
      given: { records: { sno1: { ...held, ...longDownload } }, works, windows: [night] },
      changes: [],
    },
    {
      name: "the window closes, but the upgrade is over",
      cgu: overUpgrade(one),
      given: { records: { sno1: pulls }, works, windows: [night], now: noon },
      changes: [],
    },
  ];

  test.for(cases)("When $name, it should pause and continue with it", ({ cgu = one, given, changes }) => {
    expect(changesFor(cgu, given)).toEqual(changes);
  });

  test("When its Job is suspended and resumed, only that should change in its record", () => {
    const counted = { ...aWaitingRecord(pulls), imagesDone: 3, started: "2026-03-01T02:00:00Z" };
    const suspended = recordAfter(one, { records: { sno1: counted }, works, windows: [night], now: noon });
    expect(suspended).toEqual({ ...counted, suspend: true });
    const resumed = recordAfter(one, { records: { sno1: suspended ?? {} }, works });
    expect(resumed).toEqual({ ...counted, suspend: false });
  });
});

describe("a cluster with a slot whose agent is unreachable", () => {
  const unreached = { state: "Starting", reason: "ClusterNotReached", attempt: 2 } as const;
  const own = workFor(one, "sno1", 2);
  const earlier = reported(workFor(one, "sno1", 1), {}, runOfUpgrade(one, 1));
  const suspends = ["sno1 suspend: Its agent is unreachable, so its slot goes to another cluster."];
  const cases: readonly Case[] = [
    { name: "its Job may start any time", given: { works: [own] }, changes: suspends },
    {
      name: "its agent had applied only an earlier attempt, which cannot be removed from it",
      given: { works: [own, earlier] },
      changes: suspends,
    },
    {
      name: "its agent has applied the run after all",
      given: { works: [reported(own, {}, runOfUpgrade(one, 2))] },
      changes: [],
    },
    { name: "its ManifestWorks were not read", given: { works: undefined }, changes: [] },
    {
      name: "its Job is to be suspended already",
      given: { records: { sno1: { ...unreached, suspend: true } }, works: [own] },
      changes: [],
    },
  ];

  test.for(cases)("When $name, its Job should be suspended only if it is safe", ({ given, changes }) => {
    expect(changesFor(one, { records: { sno1: unreached }, ...given })).toEqual(changes);
  });

  test("When its Job is suspended first, its slot should be taken until that is done", () => {
    const two = anUpgrade(["sno1", "sno2"], { maxConcurrency: 1 });
    const records = { sno1: { ...unreached, attempt: 1 } };
    expect(changesFor(two, { records, works: [workFor(two, "sno1")] })).toEqual(suspends);
    const released = { sno1: { reason: "ClusterNotReached", suspend: true } } as const;
    expect(changesFor(two, { records: released })).toEqual(["sno2 start: It has a slot."]);
  });
});

describe("limits", () => {
  const four = ["sno1", "sno2", "sno3", "sno4"];
  const pulls = { state: "Active", reason: "Pulling" } as const;
  const started = (cgu: KubernetesObject, given?: Given) =>
    [...slotChanges(aSituation(cgu, given)).changes].map(([cluster, { verdict }]) => `${cluster} ${verdict}`);

  test("When maxConcurrency is reached, the other clusters should wait, in the order of the selection", () => {
    const cgu = anUpgrade(four, { maxConcurrency: 2 });
    expect(started(cgu, { records: { sno3: pulls } })).toEqual(["sno1 start"]);
    expect(started(cgu)).toEqual(["sno1 start", "sno2 start"]);
    expect(started(cgu, { records: { sno3: pulls, sno4: pulls } })).toEqual([]);
  });

  test.for([0, 4, 500])("When maxConcurrency is %d, all should start", (maxConcurrency) => {
    expect(started(anUpgrade(four, { maxConcurrency }))).toEqual(four.map((name) => `${name} start`));
  });

  test("When a slot is given back, another cluster should get it in the same write", () => {
    const cgu = anUpgrade(four, { maxConcurrency: 1 });
    const windows = [aWindow("freeze", { clusterSelector: { matchLabels: { site: "a" } } })];
    const managedClusters = [aManagedCluster("sno1", { labels: { site: "a" } })];
    const records = { sno1: { state: "PreparingToStart", reason: "Claimed" } } as const;
    expect(started(cgu, { records, windows, managedClusters, now: noon })).toEqual([
      "sno1 give back",
      "sno2 start",
    ]);
  });

  test("When a site is full, clusters of other sites should not wait for it", () => {
    const annotations = { "hubrelay.dev/site-label": "site", "hubrelay.dev/max-per-site": "1" };
    const managedClusters = four.map((name, index) =>
      aManagedCluster(name, { labels: { site: index < 2 ? "a" : "b" } }),
    );
    const cgu = anUpgrade(four, { annotations });
    expect(started(cgu, { records: { sno1: pulls }, managedClusters })).toEqual(["sno3 start"]);
  });

  test("When the limits are those of the configuration, they should count", () => {
    const [config] = [anUpgrade([], { annotations: { "hubrelay.dev/max-per-registry": "quay.io=3" } })];
    expect(started(anUpgrade(four), { configs: [config ?? one] })).toHaveLength(3);
  });
});

describe("clusters on one link", () => {
  const annotations = { "hubrelay.dev/site-label": "site", "hubrelay.dev/bandwidth": "a=20" };
  const clusters = ["sno1", "sno2"];
  const managedClusters = clusters.map((name) => aManagedCluster(name, { labels: { site: "a", name } }));
  /** Half an hour each when alone: together they need the hour that is left, and a moment more. */
  const half = { bytesTotal: 4.5 * gib };
  const held = { ...half, state: "Starting", reason: "Suspended", suspend: true } as const;
  const startedWith = (sno1: Partial<ClusterRecord>, windows: readonly KubernetesObject[] = [night]) => {
    const cgu = anUpgrade(clusters, { annotations });
    const late = new Date("2026-03-01T02:10:00Z");
    const given = { records: { sno1, sno2: half }, managedClusters, windows, now: late };
    return [...slotChanges(aSituation(cgu, given)).changes].map(
      ([cluster, { verdict }]) => `${cluster} ${verdict}`,
    );
  };

  test("When two clusters fit only one after the other, the second should wait for the next opening", () => {
    expect(startedWith(half)).toEqual(["sno1 start"]);
  });

  test("When another cluster pulls already, the next should wait", () => {
    expect(startedWith({ ...half, state: "Active", reason: "Pulling" })).toEqual([]);
  });

  test("When a Job resumes, or was resumed just now, the next should wait", () => {
    expect(startedWith(held)).toEqual(["sno1 resume"]);
    expect(startedWith({ ...held, suspend: false })).toEqual([]);
  });
});

describe("a slot that may be taken", () => {
  const [before, after] = [
    recordsFrom({ sno1: { state: "Active", reason: "Pulling" } }),
    recordsFrom({ sno1: { state: "Succeeded", reason: "Completed" } }),
  ];
  const upgradeOf = (cgu: KubernetesObject) => aSituation(cgu).upgrade;
  const two = upgradeOf(anUpgrade(["sno1", "sno2"]));

  test.for([
    ["a run has ended and another cluster waits", two, before, after, true],
    ["a run has ended and no cluster waits", upgradeOf(one), before, after, false],
    ["no run has ended", two, before, before, false],
    ["the run had ended before", two, after, after, false],
    ["the upgrade is over", upgradeOf(overUpgrade(anUpgrade(["sno1", "sno2"]))), before, after, false],
    [
      "the only other cluster is unreachable",
      two,
      before,
      new Map([...after, ["sno2", aWaitingRecord({ reason: "ClusterNotReached" })]]),
      false,
    ],
  ] as const)("When %s, the surroundings should be read only if they matter", ([, upgrade, a, b, isFree]) => {
    expect(maySlotBeTaken(upgrade, a, b)).toBe(isFree);
  });
});

describe("any upgrade", () => {
  const names = ["sno1", "sno2", "sno3", "sno4", "sno5"];
  const kept = {
    fresh: undefined,
    claimed: { state: "PreparingToStart", reason: "Claimed" },
    pulling: { state: "Active", reason: "Pulling" },
    suspended: { state: "Starting", reason: "Suspended", suspend: true },
    unreached: { state: "Starting", reason: "ClusterNotReached" },
    away: { reason: "ClusterNotReached", suspend: true },
    returned: { reason: "Returned", suspend: true },
    done: { state: "Succeeded", reason: "Completed" },
    failed: { state: "PrecacheTimeout", reason: "DeadlineExceeded" },
  } as const satisfies Record<string, Partial<ClusterRecord> | undefined>;
  const choice = fc.constantFrom(...(Object.keys(kept) as (keyof typeof kept)[]));
  const situations = fc
    .record({
      chosen: fc.array(choice, { minLength: names.length, maxLength: names.length }),
      maxConcurrency: fc.nat(5),
      isOver: fc.boolean(),
      hasWindow: fc.boolean(),
      atEnd: fc.constantFrom("Suspend", "Finish"),
      isNoon: fc.boolean(),
      rival: fc.constantFrom("Active", "Succeeded", undefined),
    })
    .map(({ chosen, maxConcurrency, isOver, hasWindow, atEnd, isNoon, rival }) => {
      const planned = anUpgrade(names, { maxConcurrency });
      const cgu = isOver ? overUpgrade(planned) : planned;
      const given = chosen.map((name, index) => ({ cluster: names[index] ?? "", fields: kept[name] }));
      const records = Object.fromEntries(
        given.flatMap(({ cluster, fields }) => (fields ? [[cluster, fields]] : [])),
      );
      const works = given.flatMap(({ cluster, fields }) => {
        if (!fields || fields === kept.claimed) return [];
        const work = workFor(cgu, cluster);
        return [("suspend" in fields && withSuspend(work, true)) || work];
      });
      return aSituation(cgu, {
        records,
        works,
        windows: hasWindow ? [aWindow("night", { atEnd })] : [],
        others: rival ? [other({ states: { sno1: rival } }), other({ name: "third" })] : [],
        now: isNoon ? noon : now,
      });
    });
  const runningIn = (records: Records) =>
    [...records.values()].filter(({ state }) => isRunningState(state)).length;
  const applied = (situation: Situation): Records =>
    new Map([
      ...situation.records,
      ...[...slotChanges(situation).changes].map(([cluster, { record }]) => [cluster, record] as const),
    ]);

  test("When changes are made, no more clusters should run than are allowed, and nothing be left to change", () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { maxConcurrency, clusters } = situation.upgrade;
        const max = maxConcurrency >= 1 ? maxConcurrency : clusters.length;
        const records = applied(situation);
        expect(runningIn(records)).toBeLessThanOrEqual(Math.max(max, runningIn(situation.records)));
        expect([...slotChanges({ ...situation, records }).changes]).toEqual([]);
      }),
    );
  });

  test("When lists are read in another order, the changes should be the same", () => {
    const shuffled = <Item>(items: readonly Item[]) =>
      fc.shuffledSubarray([...items], { minLength: items.length });
    const pairs = situations.chain((situation) => {
      const { others, managedClusters } = situation.surroundings;
      return fc
        .record({ others: shuffled(others), managedClusters: shuffled(managedClusters) })
        .map(
          (changes) =>
            [situation, { ...situation, surroundings: { ...situation.surroundings, ...changes } }] as const,
        );
    });
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        expect(slotChanges(b)).toEqual(slotChanges(a));
      }),
    );
  });
});
