import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { anUpgrade, workFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  afterwards,
  ago,
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

const createdAt = (work: KubernetesObject, creationTimestamp: string): KubernetesObject => ({
  ...work,
  metadata: Object.assign({ creationTimestamp }, work.metadata),
});

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
      name: "When it may not start, its upgrade should be in progress",
      snapshot: aSnapshot(one, {
        surroundings: { ...noSurroundings, windows: [aWindow("night", { schedule: "0 12 * * *" })] },
      }),
      decisions: [
        `${upgradeName} InProgress: 1 NotStarted.`,
        "sno1 wait: default/night is closed until 2026-03-01T12:00:00Z.",
      ],
      written: [inProgress],
    },
    {
      name: "When what decides about slots was not read, it should not start",
      snapshot: aSnapshot(one, { surroundings: undefined }),
      decisions: [`${upgradeName} InProgress: 1 NotStarted.`],
      written: [inProgress],
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
      name: "When its work was created suspended, long after it got its slot, its Job should be resumed at once",
      snapshot: aSnapshot(claimed.cgu, {
        ...recorded("PreparingToStart", { reason: "Claimed", since: ago(130), started: ago(130) }),
        works: [createdAt(held(workFor(one, "sno1")), ago(1))],
      }),
      decisions: [`${upgradeName} InProgress: 1 Starting.`, "sno1 resume: No window restricts it now."],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 Starting"],
      record: `WaitsForAgent: ${waits.message}`,
      named: ["sno1"],
      later: 5,
    },
    {
      name: "When its work could not be created within a minute, it should say so",
      snapshot: aSnapshot(claimed.cgu, {
        ...recorded("PreparingToStart", { reason: "Claimed", since: ago(60), started: ago(60) }),
        works: [],
      }),
      decisions: [`${upgradeName} InProgress: 1 PreparingToStart.`],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 PreparingToStart"],
      record:
        "NotCreated: It has a slot, but its ManifestWork could not be created: the cluster's namespace may be missing.",
      named: ["sno1"],
      later: 15,
      isRepeated: true,
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
      name: "When its agent is not reached within 90 seconds, its Job should be suspended",
      snapshot: aSnapshot(one, {
        ...recorded("Starting", { ...waits, started: ago(90) }),
        works: [workFor(one, "sno1")],
      }),
      decisions: [
        `${upgradeName} InProgress: 1 Starting.`,
        "sno1 suspend: Its agent is unreachable, so its slot goes to another cluster.",
      ],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 Starting"],
      record:
        "ClusterNotReached: The cluster's agent is unreachable; the run starts when the cluster returns.",
      named: ["sno1"],
      later: 5,
    },
    {
      name: "When the Job of an unreachable cluster is suspended, it should release its slot",
      snapshot: aSnapshot(one, {
        ...recorded("Starting", { reason: "ClusterNotReached", message: "x", suspend: true }),
        works: [held(workFor(one, "sno1"))],
      }),
      decisions: [`${upgradeName} InProgress: 1 NotStarted.`],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 NotStarted"],
      record: "ClusterNotReached: x",
      later: 890,
    },
    {
      name: "When an unreachable cluster returns and there is a slot, its Job should be resumed",
      snapshot: aSnapshot(one, {
        ...recorded("NotStarted", { reason: "ClusterNotReached", suspend: true }),
        works: [held(workWith(suspendedJob))],
      }),
      decisions: [`${upgradeName} InProgress: 1 PreparingToStart.`, "sno1 start: It has a slot."],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 PreparingToStart"],
      record: "Claimed: It has a slot and is being started.",
      named: ["sno1"],
      later: 5,
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
    {
      name: "When it reports nothing until two minutes after its deadline, it should end and its work be removed",
      snapshot: aSnapshot(one, {
        ...recorded("Active", { ...active, started: ago(240 * 60 + 120) }),
        works: [workWith(pulling)],
      }),
      decisions: [
        `${upgradeName} Failed: 1 PrecacheTimeout.`,
        "sno1 PrecacheTimeout: NoReport: The cluster reported no end within 240 min. Its last report: The Job runs.",
      ],
      written: [
        "update-status ClusterGroupUpgrade default upgrade: Precaching failed for all clusters",
        "update PreCachingReport default upgrade-0: 1 PrecacheTimeout",
      ],
      record: "NoReport: The cluster reported no end within 240 min. Its last report: The Job runs.",
      outcomes: ["finished default/upgrade", "cluster-failed default/upgrade/sno1"],
      named: ["sno1"],
    },
    {
      name: "When its running work is removed, it should start again",
      snapshot: aSnapshot(one, recorded("Active", active)),
      decisions: [`${upgradeName} InProgress: 1 PreparingToStart.`],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 PreparingToStart"],
      record: "Removed: It was removed; it starts again.",
      named: ["sno1"],
      later: 5,
    },
    {
      name: "When its window closes before its work exists, it should give its slot back",
      snapshot: aSnapshot(claimed.cgu, {
        ...claimed,
        surroundings: { ...noSurroundings, windows: [aWindow("day", { schedule: "0 12 * * *" })] },
      }),
      decisions: [
        `${upgradeName} InProgress: 1 NotStarted.`,
        "sno1 give back: default/day is closed until 2026-03-01T12:00:00Z.",
      ],
      written: [inProgress, "update PreCachingReport default upgrade-0: 1 NotStarted"],
      record: "Waiting: ",
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

  test.for(cases)("$name; and deciding again afterwards should change nothing", (tested) => {
    const { snapshot, isRepeated = false, named: expected = [] } = tested;
    const again = decide(afterwards(snapshot, decide(snapshot)));
    expect(written(again)).toEqual([]);
    expect(outcomes(again)).toEqual([]);
    expect(named(again)).toEqual(isRepeated ? expected : []);
    expect(laterIn(again)).toBeUndefined();
  });
});

test("When lists are read in another order, the plan should be the same; and applied, leave nothing to do", () => {
  const names = ["sno1", "sno2", "sno3", "sno4"];
  const cgu = anUpgrade(names, { maxConcurrency: 3 });
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
