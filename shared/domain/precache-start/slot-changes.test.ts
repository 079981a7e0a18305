import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reported } from "../../../test/support/precache/precache-objects.ts";
import { aManagedCluster } from "../../../test/support/precache/precache-plan-objects.ts";
import {
  aStoredUpgrade,
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

const one = aStoredUpgrade(["sno1"]);
const night = aWindow("night");
const finishing = aWindow("night", { atEnd: "Finish" });
const other = (fields: Parameters<typeof aStoredUpgrade>[1] = {}, createdAt = "2026-03-01T00:00:00Z") => {
  const { metadata, ...cgu } = aStoredUpgrade(["sno1"], { name: "earlier", ...fields });
  return { ...cgu, metadata: { ...metadata, creationTimestamp: createdAt } };
};
const waitsForEarlier = "Waits for ClusterGroupUpgrade/default/earlier, which pre-caches this cluster first.";
const closed = "default/night is closed until 2026-03-02T01:00:00Z.";
const starts = ["sno1 start: It has a slot."];
const newer = "2026-03-01T01:30:00Z";

/** What is given, what changes, and the upgrade, where it is another. */
type Case = readonly [name: string, given: Given, changes: readonly string[], cgu?: KubernetesObject];

describe("a cluster that waits", () => {
  const returned = { reason: "Returned", suspend: true } as const;
  const misnamed = aStoredUpgrade(["sno1"], { annotations: { "hubrelay.dev/maintenance-window": "nigth" } });
  const notForIt = aWindow("night", { allow: { preCaching: false } });
  const ofTalm = { ...other(), status: { precaching: { status: { sno1: "Starting" } } } };
  const ended = { state: "Succeeded", reason: "Completed" } as const;

  test.for<Case>([
    ["it waits for its attempt", { records: { sno1: {} } }, starts],
    ["it has returned, and its suspended Job waits", { records: { sno1: returned } }, starts],
    ["its window is open", { windows: [night] }, starts],
    ["the window is closed", { windows: [night], now: noon }, []],
    ["the upgrade names a window that does not exist", {}, [], misnamed],
    ["the only window does not allow pre-caching", { windows: [notForIt] }, []],
    ["an older upgrade has planned it", { others: [other()] }, []],
    ["a newer upgrade runs on it", { others: [other({ states: { sno1: "Active" } }, newer)] }, []],
    ["TALM runs an upgrade of its own on it", { others: [ofTalm] }, []],
    ["it has succeeded", { records: { sno1: ended } }, []],
    ["the upgrade is over", {}, [], overUpgrade(one)],
  ])("When $0, it should start only if it may", ([, given, changes, cgu = one]) => {
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
  const closes = { records, windows: [night], now: noon };
  const givesBack = (reason: string) => [`sno1 give back: ${reason}`];

  test.for<Case>([
    ["nothing has changed", { records }, []],
    ["the window closes", closes, givesBack(closed)],
    ["another upgrade has started on it", { records, ...rival }, givesBack(waitsForEarlier)],
    ["an older upgrade has only planned it", { records, others: [other()] }, []],
    ["the window closes, but the work exists by now", { ...closes, works: [workFor(one, "sno1")] }, []],
    ["another has started, but no works were read", { records, works: undefined, ...rival }, []],
  ])("When $0, it should give its slot back only if it has to", ([, given, changes]) => {
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
  const pulling = { records: { sno1: pulls }, works };
  const paused = { records: { sno1: held }, works };
  const pausing = { sno1: { ...pulls, suspend: true } };
  const resumes = ["sno1 resume: No window restricts it now."];
  const closes = { ...pulling, windows: [night], now: noon };

  test.for<Case>([
    ["no window restricts it", pulling, []],
    ["its window is open", { ...pulling, windows: [night] }, []],
    ["the window closes", closes, [`sno1 suspend: ${closed}`]],
    ["the window closes and lets running Jobs finish", { ...closes, windows: [finishing] }, []],
    ["the window is closed and the Job is to be suspended already", { ...closes, records: pausing }, []],
    ["the window opens", { ...paused, windows: [night] }, resumes],
    ["the window is deleted", paused, resumes],
    ["the window closes, but the upgrade is over", closes, [], overUpgrade(one)],
  ])("When $0, it should pause and continue with it", ([, given, changes, cgu = one]) => {
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
  const applied = reported(own, {}, runOfUpgrade(one, 2));
  const pausing = { records: { sno1: { ...unreached, suspend: true } }, works: [own] };

  test.for<Case>([
    ["its Job may start any time", { works: [own] }, suspends],
    ["its agent had applied only an earlier attempt", { works: [own, earlier] }, suspends],
    ["its agent has applied the run after all", { works: [applied] }, []],
    ["its ManifestWorks were not read", { works: undefined }, []],
    ["its Job is to be suspended already", pausing, []],
  ])("When $0, its Job should be suspended only if it is safe", ([, given, changes]) => {
    expect(changesFor(one, { records: { sno1: unreached }, ...given })).toEqual(changes);
  });

  test("When its Job is suspended first, its slot should be taken until that is done", () => {
    const two = aStoredUpgrade(["sno1", "sno2"], { maxConcurrency: 1 });
    const records = { sno1: { ...unreached, attempt: 1 } };
    expect(changesFor(two, { records, works: [workFor(two, "sno1")] })).toEqual(suspends);
    const released = { sno1: { reason: "ClusterNotReached", suspend: true } } as const;
    expect(changesFor(two, { records: released })).toEqual(["sno2 start: It has a slot."]);
  });
});

describe("limits", () => {
  const four = ["sno1", "sno2", "sno3", "sno4"];
  const started = (cgu: KubernetesObject, given?: Given) =>
    [...slotChanges(aSituation(cgu, given)).changes].map(([cluster, { verdict }]) => `${cluster} ${verdict}`);

  test("When a slot is given back, another cluster should get it in the same write", () => {
    const cgu = aStoredUpgrade(four, { maxConcurrency: 1 });
    const windows = [aWindow("freeze", { clusterSelector: { matchLabels: { site: "a" } } })];
    const managedClusters = [aManagedCluster("sno1", { labels: { site: "a" } })];
    const records = { sno1: { state: "PreparingToStart", reason: "Claimed" } } as const;
    expect(started(cgu, { records, windows, managedClusters, now: noon })).toEqual([
      "sno1 give back",
      "sno2 start",
    ]);
  });
});

describe("a slot that may be taken", () => {
  const [before, after] = [
    recordsFrom({ sno1: { state: "Active", reason: "Pulling" } }),
    recordsFrom({ sno1: { state: "Succeeded", reason: "Completed" } }),
  ];
  const upgradeOf = (cgu: KubernetesObject) => aSituation(cgu).upgrade;
  const two = upgradeOf(aStoredUpgrade(["sno1", "sno2"]));

  test.for([
    ["a run has ended and another cluster waits", two, before, after, true],
    ["a run has ended and no cluster waits", upgradeOf(one), before, after, false],
    ["no run has ended", two, before, before, false],
    ["the run had ended before", two, after, after, false],
    ["the upgrade is over", upgradeOf(overUpgrade(aStoredUpgrade(["sno1", "sno2"]))), before, after, false],
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
      const planned = aStoredUpgrade(names, { maxConcurrency });
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
