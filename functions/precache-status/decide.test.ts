import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aStoredUpgrade, workFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  aSnapshot,
  decisions,
  failed,
  held,
  laterIn,
  named,
  noSurroundings,
  one,
  outcomes,
  pulling,
  recorded,
  recordsIn,
  settled,
  succeeded,
  suspendedJob,
  upgradeName,
  workWith,
  writesOf,
  written,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";

describe("a cluster from its slot to its end", () => {
  const claimed = recorded("PreparingToStart", { reason: "Claimed" });
  const active = { reason: "Pulling", message: "The Job runs." } as const;
  const waits = { reason: "WaitsForAgent", message: "The cluster's agent has not applied it yet." } as const;
  const inProgress =
    "update-status ClusterGroupUpgrade default upgrade: Precaching in progress for 1 clusters";

  const cases = [
    {
      name: "When it may start, it should get a slot, and a message to create its work",
      snapshot: aSnapshot(one),
      decisions: [`${upgradeName} InProgress: 1 PreparingToStart.`, "sno1 start: It has a slot."],
      written: [inProgress, "create PreCachingReport default upgrade-0: 1 PreparingToStart"],
      record: "Claimed: It has a slot and is being started.",
      named: ["sno1"],
      later: 5,
    },
    {
      name: "When its work is created, it should be starting",
      snapshot: aSnapshot(claimed.cgu, { ...claimed, works: [workFor(one, "sno1")] }),
      decisions: [`${upgradeName} InProgress: 1 Starting.`],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 Starting"],
      record: `WaitsForAgent: ${waits.message}`,
      later: 5,
    },
    {
      name: "When its Job runs, it should be active",
      snapshot: aSnapshot(claimed.cgu, { ...claimed, works: [workWith(pulling)] }),
      decisions: [`${upgradeName} InProgress: 1 Active.`],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 Active"],
      record: "Pulling: The Job runs.",
      later: 5,
    },
    {
      name: "When its Job succeeds, it should report the end and let the work be removed",
      snapshot: aSnapshot(one, { ...recorded("Active", active), works: [workWith(succeeded)] }),
      decisions: [
        `${upgradeName} PrecachingCompleted: 1 Succeeded.`,
        "sno1 Succeeded: Completed: Every image is on the cluster.",
      ],
      written: [
        "update-status ClusterGroupUpgrade default upgrade: Precaching is completed for all clusters",
        "update PreCachingReport default upgrade-0: 1 Succeeded",
      ],
      record: "Completed: Every image is on the cluster.",
      outcomes: ["finished default/upgrade"],
      named: ["sno1"],
    },
    {
      name: "When its Job fails, it should report both ends and keep the work",
      snapshot: aSnapshot(one, { ...recorded("Active", active), works: [workWith(failed)] }),
      decisions: [
        `${upgradeName} Failed: 1 UnrecoverableError.`,
        "sno1 UnrecoverableError: BackoffLimitExceeded: The Job failed: BackoffLimitExceeded.",
      ],
      written: [
        "update-status ClusterGroupUpgrade default upgrade: Precaching failed for all clusters",
        "update PreCachingReport default upgrade-0: 1 UnrecoverableError",
      ],
      record: "BackoffLimitExceeded: The Job failed: BackoffLimitExceeded.",
      outcomes: ["finished default/upgrade", "cluster-failed default/upgrade/sno1"],
    },
    {
      name: "When its window closes, its Job should be suspended",
      snapshot: aSnapshot(one, {
        ...recorded("Active", active),
        works: [workWith(pulling)],
        surroundings: { ...noSurroundings, windows: [aWindow("day", { schedule: "0 12 * * *" })] },
      }),
      decisions: [
        `${upgradeName} InProgress: 1 Active.`,
        "sno1 suspend: default/day is closed until 2026-03-01T12:00:00Z.",
      ],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 Active"],
      record: "Pulling: The Job runs.",
      named: ["sno1"],
      later: 5,
    },
  ];

  test.for(cases)("$name", ({ snapshot, ...expected }) => {
    const plan = decide(snapshot);
    expect(decisions(plan)).toEqual(expected.decisions);
    expect(written(plan)).toEqual(expected.written);
    const { sno1 } = recordsIn(plan);
    expect(sno1 && `${sno1.reason}: ${sno1.message}`).toBe(expected.record);
    expect(outcomes(plan)).toEqual(expected.outcomes ?? []);
    expect(named(plan)).toEqual(expected.named ?? []);
    expect(laterIn(plan)).toEqual(expected.later);
    expect(plan.requeueAt).toBeUndefined();
  });
});

test("When lists are read in another order, the plan should be the same; and applied, leave nothing to do", () => {
  const names = ["sno1", "sno2", "sno3", "sno4"];
  const cgu = aStoredUpgrade(names, { maxConcurrency: 3 });
  const jobs = fc.array(fc.constantFrom(pulling, succeeded, failed, suspendedJob, {}, undefined), {
    minLength: names.length,
    maxLength: names.length,
  });
  const pairs = jobs.chain((some) => {
    const works = some.flatMap((job, index) => {
      const work = job && workWith(job, cgu, { cluster: names[index] ?? "" });
      return work ? [job === suspendedJob ? held(work) : work] : [];
    });
    return fc.tuple(fc.constant(works), fc.shuffledSubarray(works, { minLength: works.length }));
  });
  fc.assert(
    fc.property(pairs, ([works, shuffled]) => {
      const plan = decide(aSnapshot(cgu, { works }));
      expect(JSON.stringify(decide(aSnapshot(cgu, { works: shuffled })))).toBe(JSON.stringify(plan));
      const again = decide(settled(cgu, works));
      expect([writesOf(again), again.sends]).toEqual([[], []]);
    }),
  );
});
