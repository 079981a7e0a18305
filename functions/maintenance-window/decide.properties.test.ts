import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { aStoredUpgrade, reportsFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { afterwards, aSnapshot, noon, open, stored } from "../../test/support/precache/window-snapshots.ts";
import { decide } from "./decide.ts";

describe("any fleet", () => {
  const names = ["sno1", "sno2", "sno3", "sno4"];
  const kept = fc.constantFrom(
    { state: undefined, reason: undefined },
    { state: "PreparingToStart", reason: "Claimed" },
    { state: "Active", reason: "Pulling" },
    { state: "Starting", reason: "Suspended" },
    { state: "Succeeded", reason: "Completed" },
  );
  const snapshots = fc
    .record({
      clusters: fc.array(kept, { minLength: names.length, maxLength: names.length }),
      isNoon: fc.boolean(),
      atEnd: fc.constantFrom("Suspend", "Finish"),
    })
    .map(({ clusters, isNoon, atEnd }) => {
      const states = Object.fromEntries(
        clusters.flatMap(({ state }, index) => (state ? [[names[index] ?? "", state]] : [])),
      );
      const records = Object.fromEntries(
        clusters.flatMap(({ reason }, index) => (reason ? [[names[index] ?? "", { reason }]] : [])),
      );
      const cgu = aStoredUpgrade(names, { states });
      return aSnapshot({
        upgrades: [cgu],
        reports: reportsFor(cgu, records),
        managedClusters: names.map((name) => aManagedCluster(name)),
        windows: [stored(aWindow("other", { atEnd })), stored(aWindow("wrong", { duration: "long" }))],
        now: isNoon ? noon : open,
      });
    });

  test("When a plan is applied, the next should change nothing", () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        expect(decide(afterwards(snapshot, decide(snapshot))).actions).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test("When lists are read in another order, each window should get the same status, and the same upgrades a message", () => {
    const shuffled = <Item>(items: readonly Item[]) =>
      fc.shuffledSubarray([...items], { minLength: items.length });
    const pairs = snapshots.chain((snapshot) =>
      fc
        .record({
          windows: shuffled(snapshot.windows),
          reports: shuffled(snapshot.reports),
          managedClusters: shuffled(snapshot.managedClusters),
        })
        .map((changes) => [snapshot, { ...snapshot, ...changes }] as const),
    );
    const sorted = (plan: Plan) => ({
      ...plan,
      actions: plan.actions.toSorted((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1)),
    });
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [one, two] = [sorted(decide(a)), sorted(decide(b))];
        expect(two.actions).toEqual(one.actions);
        expect(two.sends).toEqual(one.sends);
      }),
      { numRuns: 30 },
    );
  });
});
