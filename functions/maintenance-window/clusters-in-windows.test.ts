import { describe, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import type { RunReason } from "#shared/domain/precache-model/cluster-state.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { aStoredUpgrade, overUpgrade, reportsFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { aSnapshot, noon, statusIn, stored } from "../../test/support/precache/window-snapshots.ts";
import { decide } from "./decide.ts";

/** The upgrades that a plan asks precache-status to reconcile. */
const woken = ({ sends = [] }: Plan) => sends.flatMap(({ events }) => events.map(({ data }) => data.name));

describe("clusters and their windows", () => {
  const running = (state: string, reason: RunReason, fields: Partial<ClusterRecord> = {}) => {
    const cgu = aStoredUpgrade(["sno1"], { states: { sno1: state } });
    return { upgrades: [cgu], reports: reportsFor(cgu, { sno1: { state: "Starting", reason, ...fields } }) };
  };
  const finishing = [stored(aWindow("night", { atEnd: "Finish" }))];

  test.for([
    ["waits while the window is open", { upgrades: [aStoredUpgrade(["sno1"])] }, [0, 1], true],
    ["waits while it is closed", { upgrades: [aStoredUpgrade(["sno1"])], now: noon }, [0, 1], false],
    ["pulls while it is open", running("Active", "Pulling"), [1, 0], false],
    ["pulls after its end", { ...running("Active", "Pulling"), now: noon }, [0, 1], true],
    ["is suspended after its end", { ...running("Starting", "Suspended"), now: noon }, [0, 1], false],
    ["is suspended when it opens", running("Starting", "Suspended"), [0, 1], true],
    [
      "pulls after its end and is to pause already",
      { ...running("Active", "Pulling", { suspend: true }), now: noon },
      [0, 1],
      false,
    ],
    [
      "is suspended when it opens and is to continue already",
      running("Starting", "Suspended", { suspend: false }),
      [0, 1],
      false,
    ],
    [
      "may finish after its end",
      { ...running("Active", "Pulling"), windows: finishing, now: noon },
      [1, 0],
      false,
    ],
    [
      "has a slot but no Job at its end, although Jobs may finish",
      { ...running("PreparingToStart", "Claimed"), windows: finishing, now: noon },
      [0, 1],
      true,
    ],
    [
      "is unreachable",
      {
        upgrades: [aStoredUpgrade(["sno1"])],
        reports: reportsFor(aStoredUpgrade(["sno1"]), { sno1: { reason: "ClusterNotReached" } }),
      },
      [0, 1],
      false,
    ],
    ["has ended", { upgrades: [aStoredUpgrade(["sno1"], { states: { sno1: "Succeeded" } })] }, [0, 0], false],
    [
      "belongs to an upgrade that is over",
      { upgrades: [overUpgrade(aStoredUpgrade(["sno1"]))] },
      [0, 0],
      false,
    ],
    [
      "belongs to an upgrade of TALM",
      { upgrades: [{ ...aStoredUpgrade(["sno1"]), status: {} }] },
      [0, 0],
      false,
    ],
  ] as const)(
    "When a cluster $0, the window should count it and wake its upgrade only for something to do",
    ([, changes, count, wakes]) => {
      const plan = decide(aSnapshot(changes));
      const { inside, waiting, insideClusters, waitingClusters } = statusIn(plan);
      expect([inside, waiting]).toEqual(count);
      expect([insideClusters?.length ?? 0, waitingClusters?.length ?? 0]).toEqual(count);
      expect(woken(plan)).toEqual(wakes ? ["upgrade"] : []);
    },
  );

  test.for([
    {
      name: "are to be checked before its next opening",
      annotations: { "hubrelay.dev/check-before": "14h" },
      wakes: true,
    },
    { name: "are not to be checked yet", annotations: { "hubrelay.dev/check-before": "12h" }, wakes: false },
    { name: "are not to be checked", annotations: {}, wakes: false },
  ])(
    "When clusters that have succeeded $name, their upgrade should be woken only for that",
    ({ annotations, wakes }) => {
      const states = { sno1: "Succeeded", sno2: "Succeeded" };
      const cgu = aStoredUpgrade(["sno1", "sno2"], { annotations, states });
      const cached = { state: "Succeeded", reason: "Completed", since: "2026-02-20T12:00:00Z" } as const;
      const reports = reportsFor(cgu, { sno1: cached, sno2: cached });
      const plan = decide(aSnapshot({ upgrades: [cgu], reports, now: noon }));
      expect(woken(plan)).toEqual(wakes ? ["upgrade"] : []);
    },
  );

  test("When the only window was deleted, upgrades with suspended clusters should be woken, and no others", () => {
    const suspended = running("Starting", "Suspended");
    expect(woken(decide(aSnapshot({ ...suspended, windows: [] })))).toEqual(["upgrade"]);
    expect(woken(decide(aSnapshot({ ...running("Active", "Pulling"), windows: [] })))).toEqual([]);
    const resumed = running("Starting", "Suspended", { suspend: false });
    expect(woken(decide(aSnapshot({ ...resumed, windows: [] })))).toEqual([]);
    const ended = aStoredUpgrade(["sno1"], { states: { sno1: "Succeeded" } });
    const waits = reportsFor(ended, { sno1: { reason: "Suspended" } });
    expect(woken(decide(aSnapshot({ upgrades: [ended], reports: waits, windows: [] })))).toEqual([]);
    const notStarted = { upgrades: [aStoredUpgrade(["sno1"])], reports: waits };
    expect(woken(decide(aSnapshot({ ...notStarted, windows: [] })))).toEqual([]);
  });

  test("When a window selects clusters by labels, it should count only those", () => {
    const north = stored(aWindow("night", { clusterSelector: { matchLabels: { site: "north" } } }));
    const managedClusters = [aManagedCluster("sno1", { labels: { site: "north" } }), aManagedCluster("sno2")];
    expect(statusIn(decide(aSnapshot({ windows: [north], managedClusters })))).toMatchObject({
      waiting: 1,
      waitingClusters: ["sno1"],
    });
  });

  test("When many clusters and upgrades use a window, its lists should be bounded and its counts not", () => {
    const clusters = Array.from({ length: 12 }, (_, index) => `sno${index}`);
    const upgrades = Array.from({ length: 21 }, (_, index) =>
      aStoredUpgrade(clusters, { name: `upgrade-${index}`, states: { sno0: "Active" } }),
    );
    const status = statusIn(decide(aSnapshot({ upgrades })));
    expect(status).toMatchObject({ inside: 21, waiting: 21 * 11 });
    expect(status.waitingClusters).toEqual([...clusters.slice(1, 11)]);
    expect(status.insideClusters).toHaveLength(10);
    expect(status.upgrades).toHaveLength(20);
    expect(status.upgrades[0]).toEqual({ namespace: "default", name: "upgrade-0", inside: 1, waiting: 11 });
  });

  test("When a window opens or closes, it should send one message an upgrade, however many clusters that has", () => {
    const clusters = Array.from({ length: 300 }, (_, index) => `sno${index}`);
    const states = Object.fromEntries(clusters.slice(0, 9).map((cluster) => [cluster, "Active"]));
    const upgrades = [
      aStoredUpgrade(clusters, { maxConcurrency: 3 }),
      aStoredUpgrade(clusters, { name: "second", states }),
      aStoredUpgrade(["sno1"], { name: "done", states: { sno1: "Succeeded" } }),
    ];
    expect(woken(decide(aSnapshot({ upgrades })))).toEqual(["upgrade", "second"]);
    expect(woken(decide(aSnapshot({ upgrades, now: noon })))).toEqual(["second"]);
  });

  test("When a report belongs to another upgrade, it should not count", () => {
    const cgu = aStoredUpgrade(["sno1"], { states: { sno1: "Active" } });
    const other = aStoredUpgrade(["sno1"], { name: "other" });
    const reports = reportsFor(other, { sno1: { state: "Starting", reason: "Suspended" } });
    expect(statusIn(decide(aSnapshot({ upgrades: [cgu], reports }))).inside).toBe(1);
  });
});
