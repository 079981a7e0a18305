import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Action, Plan } from "#shared/domain/plan/plan.ts";
import type { ClusterRecord } from "#shared/domain/precache/progress/cluster-record.ts";
import { withSuspend } from "#shared/domain/precache/work/manifest-work.ts";
import { workName } from "#shared/domain/precache/work/work-identity.ts";
import { outcomesOf as outcomesOfActions } from "../../test/support/messages/outcomes-of.ts";
import { reported } from "../../test/support/precache/precache-objects.ts";
import {
  anUpgrade,
  overUpgrade,
  reportsFor,
  runOfUpgrade,
  workFor,
} from "../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../test/support/precache/precache-system.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const ago = (seconds: number) => later(-seconds).toISOString().replace(".000Z", "Z");
const noSurroundings = { windows: [], configs: [], managedClusters: [], others: [] };

/** The hub as a reconcile reads it: all ManifestWorks, and what decides who runs. */
const aSnapshot = (cgu: KubernetesObject | undefined, changes: Partial<Snapshot> = {}): Snapshot => ({
  now,
  hubId: "urn:test:hub",
  name: { namespace: "default", name: "upgrade" },
  cgu,
  reports: [],
  works: [],
  read: new Map(),
  unread: [],
  surroundings: noSurroundings,
  ...changes,
});
/** The same as read for messages about ends: only the ManifestWorks of these clusters. */
const asReadFor = (
  snapshot: Snapshot,
  read: Readonly<Record<string, KubernetesObject | undefined>>,
): Snapshot => ({ ...snapshot, works: undefined, read: new Map(Object.entries(read)) });

const writesOf = ({ guard, actions }: Plan): readonly Action[] => [...(guard ? [guard] : []), ...actions];
const outcomesOf = (plan: Plan) => outcomesOfActions({ ...plan, actions: writesOf(plan) });
const decisions = (plan: Plan) =>
  plan.decisions.map(({ subject, verdict, reason }) => `${subject} ${verdict}: ${reason}`);
const written = (plan: Plan) =>
  writesOf(plan).map(({ verb, object, reason }) =>
    [verb, object.kind, object.metadata.namespace, `${object.metadata.name}: ${reason}`].join(" "),
  );
const writtenKinds = (plan: Plan) => writesOf(plan).map(({ verb, object }) => `${verb} ${object.kind}`);
/** The clusters that a plan sends messages about. */
const named = ({ sends = [] }: Plan) =>
  sends.flatMap(({ events }) => events.flatMap(({ data }) => data.cluster ?? []));
/** The seconds until the reconcile that a plan sends a message for. */
const laterIn = ({ sends = [] }: Plan) =>
  sends.find(({ queue }) => queue === "precache-feedback")?.delaySeconds;
const outcomes = (plan: Plan) =>
  outcomesOf(plan).map(({ type, subject }) => `${type.replace("dev.hubrelay.precache.", "")} ${subject}`);
/** The records that a plan writes. */
const recordsIn = ({ actions }: Plan): Readonly<Record<string, ClusterRecord>> =>
  Object.assign({}, ...actions.map(({ object }) => object.clusters ?? {}));
/** The states that a plan writes. */
const statesIn = ({ guard }: Plan) => Object(guard?.object.status).precaching?.status;
const conditionIn = ({ guard }: Plan) => {
  const { conditions = [] } = Object(guard?.object.status);
  const { type, status, reason, message } = conditions.at(-1) ?? {};
  return [type, status, reason, message].join(" ");
};

type Job = NonNullable<Parameters<typeof reported>[1]["job"]>;
const one = anUpgrade(["sno1"]);
const upgradeName = "ClusterGroupUpgrade/default/upgrade";
/** The work of a cluster with the feedback of its Job. */
const workWith = (
  job: Job,
  cgu: KubernetesObject = one,
  { cluster = "sno1", attempt = 1, progress = {} as Readonly<Record<string, string>> } = {},
) => reported(workFor(cgu, cluster, attempt), { job, progress }, runOfUpgrade(cgu, attempt));
const pulling: Job = { active: 1 };
const succeeded: Job = { succeeded: 1, complete: "True" };
const failed: Job = { failed: 1, failedStatus: "True", failedReason: "BackoffLimitExceeded" };
const suspendedJob: Job = { suspended: "True" };
const held = (work: KubernetesObject) => withSuspend(work, true) ?? work;
const deleting = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, object.metadata),
});
const withRetry = (object: KubernetesObject, retry: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { "hubrelay.dev/retry": retry, own: "x" } },
});

/** What this function reads of the hub after a plan was applied. */
function afterwards(snapshot: Snapshot, plan: Pick<Plan, "guard" | "actions">): Snapshot {
  let { cgu, works, reports } = snapshot;
  for (const { verb, object } of [...(plan.guard ? [plan.guard] : []), ...plan.actions]) {
    const isThis = ({ metadata }: KubernetesObject) =>
      metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace;
    const kept =
      verb === "delete" ? [] : [{ ...object, metadata: { ...object.metadata, resourceVersion: "12" } }];
    if (isKind(kinds.ClusterGroupUpgrade, object)) cgu = kept[0];
    if (isKind(kinds.PreCachingReport, object))
      reports = [...reports.filter((report) => !isThis(report)), ...kept];
    if (isKind(kinds.ManifestWork, object)) works = works?.filter((work) => !isThis(work));
  }
  return { ...snapshot, cgu, works, reports };
}

/** An upgrade and its records, as this function leaves them when it reads these works. */
function settled(cgu: KubernetesObject, works: readonly KubernetesObject[], at = now): Snapshot {
  const snapshot = aSnapshot(cgu, { works, now: at });
  return afterwards(snapshot, decide(snapshot));
}

/** An upgrade of sno1 with this record, and the status that belongs to it. */
const recorded = (state: ClusterRecord["state"], fields: Partial<ClusterRecord> = {}) => {
  const states: Readonly<Record<string, string>> = state === "NotStarted" ? {} : { sno1: state };
  const cgu = anUpgrade(["sno1"], { states });
  return { cgu, reports: reportsFor(cgu, { sno1: { state, started: ago(0), ...fields } }) };
};

describe("an upgrade that has nothing to pre-cache", () => {
  const work = workFor(one, "sno1");
  const reports = reportsFor(one, { sno1: {} });
  const removed = [
    `delete ManifestWork sno1 ${work.metadata.name}: belongs to no planned upgrade`,
    "delete PreCachingReport default upgrade-0: belongs to no planned upgrade",
  ];
  test.for([
    { name: "it is gone", cgu: undefined },
    { name: "it is being deleted", cgu: deleting(one) },
    { name: "it has no plan any more", cgu: { ...one, status: {} } },
  ])("When $name, it should remove its works and reports, and then do nothing", ({ cgu }) => {
    const snapshot = aSnapshot(cgu, { works: [work, deleting(workFor(one, "sno2"))], reports });
    const plan = decide(snapshot);
    expect(written(plan)).toEqual(removed);
    expect(plan.actions.map(({ accepts }) => accepts)).toEqual(["NotFound", "NotFound"]);
    expect(decisions(plan)).toEqual([`${upgradeName} cleared: 2 objects belong to no planned upgrade`]);
    expect(plan.requeueAt).toBeUndefined();
    expect(decide(afterwards(snapshot, plan))).toEqual({ decisions: [], issues: [], actions: [] });
  });

  test("When thousands of works are left, it should remove 500 and continue a second later", () => {
    const many = Array.from({ length: 501 }, (_, index) => workFor(one, `sno${index}`));
    const plan = decide(aSnapshot(undefined, { works: many }));
    expect(plan.actions).toHaveLength(500);
    expect(plan.requeueAt).toEqual(later(1));
    expect(decide(aSnapshot(undefined, { works: many.slice(1) })).requeueAt).toBeUndefined();
  });
});

describe("an upgrade that is planned without a cluster", () => {
  const notDone = "PrecachingSuceeded False InProgress Precaching is required and not done";
  const none = anUpgrade([], { annotations: { "hubrelay.dev/outcomes": "[]" } });
  const settledNone = (cgu: KubernetesObject) => {
    const snapshot = aSnapshot(cgu);
    return afterwards(snapshot, decide(snapshot));
  };

  test("When its plan is valid, its condition should say once that pre-caching is not done", () => {
    const plan = decide(aSnapshot(none));
    expect(conditionIn(plan)).toBe(notDone);
    expect(decisions(plan)).toEqual([`${upgradeName} InProgress: Precaching is required and not done`]);
    expect(outcomes(plan)).toEqual([]);
    expect(writesOf(decide(settledNone(none)))).toEqual([]);
  });

  test("When its plan is invalid, it should have no condition", () => {
    const { conditions } = Object(none.status);
    const invalid = conditions.map((condition: Record<string, string>) =>
      condition.type === "PrecacheSpecValid" ? { ...condition, status: "False" } : condition,
    );
    const cgu = { ...none, status: { ...Object(none.status), conditions: invalid } };
    expect(writesOf(decide(aSnapshot(cgu)))).toEqual([]);
  });

  test("When its last cluster has left the plan, the state of that should go, so that it starts again when it returns", () => {
    const ended = decide(settled(one, [workWith(succeeded)]));
    expect(writesOf(ended)).toEqual([]);
    const { cgu, reports } = settled(one, [workWith(succeeded)]);
    const { precaching } = Object(cgu?.status);
    const left = cgu && {
      ...cgu,
      status: { ...Object(cgu.status), precaching: { ...precaching, clusters: [] } },
    };
    const snapshot = aSnapshot(left, { reports });
    const plan = decide(snapshot);
    expect(statesIn(plan)).toEqual({});
    expect(conditionIn(plan)).toContain("PrecachingSuceeded True PrecachingCompleted");
    const hub = afterwards(snapshot, plan);
    expect(hub.reports).toEqual([]);
    expect(writesOf(decide(hub))).toEqual([]);
    const back = hub.cgu && {
      ...hub.cgu,
      status: {
        ...Object(hub.cgu.status),
        precaching: { ...Object(hub.cgu.status).precaching, clusters: ["sno1"] },
      },
    };
    expect(statesIn(decide({ ...hub, cgu: back }))).toEqual({ sno1: "PreparingToStart" });
  });
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
      name: "When its Job succeeds, it should report both ends and let the work be removed",
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
      outcomes: ["finished default/upgrade", "cluster-succeeded default/upgrade/sno1"],
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

describe("the guard", () => {
  test("When the status changes, it should be written first, with the version that was read", () => {
    const { guard, actions } = decide(aSnapshot(one));
    expect(guard).toMatchObject({ verb: "update-status", object: { metadata: { resourceVersion: "5" } } });
    expect(actions.map(({ verb }) => verb)).not.toContain("update-status");
  });

  test("When only the records change, the reports should be written without it, with their version", () => {
    const { cgu, reports } = recorded("Active", { reason: "Pulling", message: "The Job runs." });
    const surroundings = { ...noSurroundings, windows: [aWindow("day", { schedule: "0 12 * * *" })] };
    const plan = decide({ ...settled(cgu, [workWith(pulling)]), reports, surroundings });
    expect(plan.guard).toBeUndefined();
    expect(plan.actions).toMatchObject([{ verb: "update", object: { metadata: { resourceVersion: "9" } } }]);
    expect(recordsIn(plan).sno1).toMatchObject({ state: "Active", suspend: true });
  });

  test("When nothing changes, it should write nothing", () => {
    const plan = decide(settled(one, [workWith(pulling)]));
    expect([plan.guard, plan.actions, plan.sends]).toEqual([undefined, [], []]);
  });

  test("When it writes the status, everything else in that should stay", () => {
    const status = { ...Object(one.status), computedMaxConcurrency: 1 };
    const cgu = { ...one, status: { ...status, precaching: { ...status.precaching, extra: "x" } } };
    const { precaching, conditions, ...others } = Object(decide(aSnapshot(cgu)).guard?.object.status);
    const { conditions: before, precaching: planned, ...rest } = cgu.status;
    expect(others).toEqual(rest);
    expect(conditions.slice(0, before.length)).toEqual(before);
    expect(precaching).toEqual({ ...planned, status: { sno1: "PreparingToStart" } });
  });
});

describe("messages about ends", () => {
  const cgu = anUpgrade(["sno1", "sno2"]);
  const works = [workWith(pulling, cgu), workWith(pulling, cgu, { cluster: "sno2" })];
  const hub = (): Snapshot => settled(cgu, works);

  test("When an end was read, it should be recorded, and the other clusters stay as they are", () => {
    const plan = decide(asReadFor(hub(), { sno1: workWith(succeeded, cgu) }));
    expect(outcomes(plan)).toEqual(["cluster-succeeded default/upgrade/sno1"]);
    expect(conditionIn(plan)).toBe(
      "PrecachingSuceeded False InProgress Precaching in progress for 1 clusters",
    );
    expect(statesIn(plan)).toEqual({ sno1: "Succeeded", sno2: "Active" });
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When a slot becomes free, the next cluster should start with the same write", () => {
    const three = anUpgrade(["sno1", "sno2", "sno3"], { maxConcurrency: 2 });
    const before = settled(three, [workWith(pulling, three), workWith(pulling, three, { cluster: "sno2" })]);
    const plan = decide(asReadFor(before, { sno2: workWith(failed, three, { cluster: "sno2" }) }));
    expect(statesIn(plan)).toEqual({
      sno1: "Active",
      sno2: "UnrecoverableError",
      sno3: "PreparingToStart",
    });
    expect(named(plan)).toEqual(["sno3"]);
  });

  test("When a running work is gone, it should start again, and its message be sent at once", () => {
    const plan = decide(asReadFor(hub(), { sno1: undefined }));
    expect(statesIn(plan)).toEqual({ sno1: "PreparingToStart", sno2: "Active" });
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When a message says what was not read, nothing should change", () => {
    expect(writesOf(decide(asReadFor(hub(), {})))).toEqual([]);
    expect(writesOf(decide(asReadFor(hub(), { sno1: workWith(pulling, cgu) })))).toEqual([]);
    expect(writesOf(decide(asReadFor(hub(), { forged: workWith(succeeded, cgu) })))).toEqual([]);
  });

  test("When the work that was read belongs to another upgrade's content, it should not count", () => {
    const other = anUpgrade(["sno1"], { platformImage: "quay.io/other:1" });
    const foreign = workWith(succeeded, other);
    expect(statesIn(decide(asReadFor(hub(), { sno1: foreign })))).not.toMatchObject({ sno1: "Succeeded" });
  });

  test("When a deadline passes, only clusters that were read should end", () => {
    const late = { ...hub(), now: later(240 * 60 + 120) };
    const read = { sno1: workWith(pulling, cgu) };
    expect(decide(asReadFor(late, {})).guard).toBeUndefined();
    expect(statesIn(decide(asReadFor(late, read)))).toEqual({ sno1: "PrecacheTimeout", sno2: "Active" });
    expect(statesIn(decide(late))).toEqual({ sno1: "PrecacheTimeout", sno2: "PrecacheTimeout" });
  });

  test("When works could not be read, it should pass them on, so that their messages are delivered again", () => {
    const unread = [{ part: "sno1", error: new Error("503") }];
    expect(decide({ ...hub(), unread }).unread).toBe(unread);
  });
});

describe("counters", () => {
  test("When only counters change, it should write them at most once a minute", () => {
    const counted = workWith(pulling, one, { progress: { imagesDone: "12" } });
    const hub = { ...settled(one, [workWith(pulling)]), works: [counted] };
    expect(writesOf(decide(hub))).toEqual([]);
    const due = decide({ ...hub, now: later(60) });
    expect(writtenKinds(due)).toEqual(["update PreCachingReport"]);
    expect(recordsIn(due).sno1?.imagesDone).toBe(12);
  });
});

describe("the end of an upgrade", () => {
  const clusters = ["sno1", "sno2", "sno3"];
  const cgu = anUpgrade(clusters);
  const endsWith = (...jobs: readonly Job[]) =>
    decide(
      aSnapshot(cgu, {
        works: jobs.map((job, index) => workWith(job, cgu, { cluster: clusters[index] ?? "" })),
      }),
    );

  test.for([
    {
      jobs: [succeeded, succeeded, succeeded],
      text: "True PrecachingCompleted Precaching is completed for all clusters",
    },
    { jobs: [succeeded, failed, failed], text: "True PartiallyDone Precaching failed for 2 clusters" },
    { jobs: [failed, failed, failed], text: "False Failed Precaching failed for all clusters" },
  ])("When its clusters have ended, it should report once that pre-caching is $text", ({ jobs, text }) => {
    const plan = endsWith(...jobs);
    expect(conditionIn(plan)).toBe(`PrecachingSuceeded ${text}`);
    expect(outcomes(plan)[0]).toBe("finished default/upgrade");
    const [, reason] = text.split(" ");
    expect(outcomesOf(plan)[0]?.data).toMatchObject({ reason, cgu: { uid: "uid-of-upgrade" } });
  });

  test("When one cluster is still pulling, it should report only the ends of the others", () => {
    const plan = endsWith(succeeded, failed, pulling);
    expect(outcomes(plan)).toEqual([
      "cluster-succeeded default/upgrade/sno1",
      "cluster-failed default/upgrade/sno2",
    ]);
    expect(decisions(plan)[0]).toBe(
      `${upgradeName} InProgress: 1 Active, 1 Succeeded, 1 UnrecoverableError.`,
    );
  });

  test("When a cluster ends, the outcome should have what its record has", () => {
    const work = workWith(failed, cgu, { progress: { imagesDone: "3", imagesTotal: "9", bytesDone: "77" } });
    const [outcome] = outcomesOf(decide(aSnapshot(cgu, { works: [work] })));
    const { revision } = runOfUpgrade(cgu);
    expect(outcome).toMatchObject({ source: "urn:test:hub", subject: "default/upgrade/sno1" });
    expect(outcome?.data).toEqual({
      cgu: { namespace: "default", name: "upgrade", uid: "uid-of-upgrade" },
      cluster: "sno1",
      revision,
      attempt: 1,
      state: "UnrecoverableError",
      reason: "BackoffLimitExceeded",
      message: "The Job failed: BackoffLimitExceeded.",
      imagesDone: 3,
      imagesTotal: 9,
      bytesDone: 77,
    });
  });

  test("When clusters are in several reports, each report should carry the outcomes of its own clusters", () => {
    const [first] = reportsFor(cgu, { sno1: {}, sno2: {} });
    const [second] = reportsFor(cgu, { sno3: {} });
    if (!first || !second) throw new Error("there are no reports");
    const reports = [first, { ...second, metadata: { ...second.metadata, name: "upgrade-1" } }];
    const works = clusters.map((cluster) => workWith(succeeded, cgu, { cluster }));
    const plan = decide(aSnapshot(cgu, { reports, works }));
    const perWrite = writesOf(plan).map(({ object, outcomes: own = [] }) => [
      object.metadata.name,
      ...own.map(({ subject }) => subject),
    ]);
    expect(perWrite).toEqual([
      ["upgrade", "default/upgrade"],
      ["upgrade-0", "default/upgrade/sno1", "default/upgrade/sno2"],
      ["upgrade-1", "default/upgrade/sno3"],
    ]);
  });

  test("When a retry ends like the attempts before, the end should be reported again under another id", () => {
    const before = settled(
      cgu,
      clusters.map((cluster) => workWith(failed, cgu, { cluster })),
    );
    const [first] = outcomesOf(endsWith(failed, failed, failed));
    const retrying = { ...before, cgu: before.cgu && withRetry(before.cgu, "sno1") };
    const retry = afterwards(retrying, decide(retrying));
    const works = [...(retry.works ?? []), workWith(failed, cgu, { attempt: 2 })];
    const [second] = outcomesOf(decide({ ...retry, works }));
    expect(second).toMatchObject({ type: first?.type, data: first?.data });
    expect(second?.id).not.toBe(first?.id);
  });

  test("When a message is delivered again, it should report what ended since, and the end of the upgrade, under the same ids", () => {
    const ids = (some: readonly { id: string }[] = []) => some.map(({ id }) => id).sort();
    const done = endsWith(succeeded, failed, failed);
    const hub = settled(
      cgu,
      clusters.map((cluster, index) => workWith(index ? failed : succeeded, cgu, { cluster })),
    );
    const { standing } = decide({ ...hub, now: later(60) });
    expect(ids(standing?.(now))).toEqual(ids(outcomesOf(done)));
    expect(standing?.(later(1)).map(({ subject }) => subject)).toEqual(["default/upgrade"]);
    const pulls = settled(cgu, [workWith(pulling, cgu)]);
    expect(decide(pulls).standing?.(new Date(0))).toEqual([]);
  });
});

describe("retries", () => {
  const cgu = anUpgrade(["sno1", "sno2"]);
  const works = [workWith(failed, cgu), workWith(succeeded, cgu, { cluster: "sno2" })];
  const requested = (retry: string, changes: Partial<Snapshot> = {}): Snapshot => {
    const hub = settled(cgu, works);
    return { ...hub, cgu: hub.cgu && withRetry(hub.cgu, retry), ...changes };
  };

  test.for([
    ["failed", { sno1: 2, sno2: 1 }],
    ["sno2", { sno1: 1, sno2: 2 }],
    ["sno1, sno2", { sno1: 2, sno2: 2 }],
  ] as const)("When %s are to be retried, their next attempts should begin", ([retry, attempts]) => {
    const snapshot = requested(retry);
    const plan = decide(snapshot);
    const records = recordsIn(plan);
    expect(Object.fromEntries(Object.entries(records).map(([name, { attempt }]) => [name, attempt]))).toEqual(
      attempts,
    );
    const again = Object.entries(attempts).flatMap(([name, attempt]) => (attempt === 2 ? [name] : []));
    expect(named(plan)).toEqual(again);
    const started = Object.entries(statesIn(plan)).filter(([, state]) => state === "PreparingToStart");
    expect(started.map(([name]) => name)).toEqual(again);
    expect(conditionIn(plan)).toContain("PrecachingSuceeded False InProgress");
    const last = plan.actions.at(-1);
    expect(last).toMatchObject({ verb: "update", reason: "its retry is under way" });
    expect(last?.object.metadata.annotations).toEqual({ own: "x" });
    expect(writesOf(decide(afterwards(snapshot, plan)))).toEqual([]);
  });

  test("When a retry has to wait, it should not be in the status, and start later", () => {
    const windows = [aWindow("day", { schedule: "0 12 * * *" })];
    const snapshot = requested("failed", { surroundings: { ...noSurroundings, windows } });
    const plan = decide(snapshot);
    expect(statesIn(plan)).toEqual({ sno2: "Succeeded" });
    expect(recordsIn(plan).sno1).toMatchObject({ state: "NotStarted", attempt: 2 });
    const open = decide({ ...afterwards(snapshot, plan), surroundings: noSurroundings });
    expect(statesIn(open)).toMatchObject({ sno1: "PreparingToStart" });
    expect(recordsIn(open).sno1?.attempt).toBe(2);
  });

  test("When an unknown cluster is to be retried, only the annotation should go", () => {
    expect(writtenKinds(decide(requested("forged")))).toEqual(["update ClusterGroupUpgrade"]);
  });

  test("When only single works were read, the retry should wait for the next reconcile of all", () => {
    expect(writesOf(decide(asReadFor(requested("failed"), {})))).toEqual([]);
  });

  test("When it is killed after the status, or after the reports, the retry should begin once", () => {
    const snapshot = requested("failed");
    const { guard, actions } = decide(snapshot);
    for (const done of [0, 1]) {
      const killed = afterwards(snapshot, { ...(guard ? { guard } : {}), actions: actions.slice(0, done) });
      const next = afterwards(killed, decide(killed));
      expect(next.cgu?.metadata.annotations).toEqual({ own: "x" });
      expect(next.reports[0]?.clusters).toMatchObject({ sno1: { state: "PreparingToStart", attempt: 2 } });
      expect(Object(next.cgu?.status).precaching.status).toEqual({
        sno1: "PreparingToStart",
        sno2: "Succeeded",
      });
    }
  });
});

describe("status and reports that disagree", () => {
  test("When it was killed before the reports, a slot that the status has should be recorded, and its message sent", () => {
    const snapshot = aSnapshot(one);
    const { guard } = decide(snapshot);
    const killed = afterwards(snapshot, { ...(guard ? { guard } : {}), actions: [] });
    const plan = decide(killed);
    expect(plan.guard).toBeUndefined();
    expect(recordsIn(plan).sno1).toMatchObject({ state: "PreparingToStart", reason: "Claimed" });
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When it was killed before the reports, a slot that the status has lost should be lost", () => {
    const { reports } = recorded("PreparingToStart", { reason: "Claimed", started: ago(10) });
    const plan = decide(aSnapshot(one, { reports, surroundings: undefined }));
    expect(recordsIn(plan).sno1).toEqual({
      state: "NotStarted",
      reason: "Waiting",
      message: "",
      attempt: 1,
      since: "2026-03-01T02:00:00Z",
    });
    expect(named(plan)).toEqual([]);
  });

  test.for(["Returned", "ClusterNotReached"] as const)(
    "When the suspended work of a cluster that is %s was removed, it should wait for a new one",
    (reason) => {
      const fields = { reason, suspend: true, bytesTotal: 9 } as const;
      const plan = decide(aSnapshot(one, { ...recorded("NotStarted", fields), surroundings: undefined }));
      expect(recordsIn(plan).sno1).toMatchObject({ state: "NotStarted", reason: "Waiting", bytesTotal: 9 });
      expect(recordsIn(plan).sno1).not.toHaveProperty("suspend");
    },
  );

  test("When it was killed before the reports, an end should be recorded and reported, and its work be removed", () => {
    const { reports } = recorded("Active", { reason: "Pulling" });
    const ended = settled(one, [workWith(succeeded)]);
    const plan = decide({ ...ended, reports });
    expect(plan.guard).toBeUndefined();
    expect(outcomes(plan)).toEqual(["cluster-succeeded default/upgrade/sno1"]);
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When an end is only in the status, it should stay an end", () => {
    const cgu = anUpgrade(["sno1"], { states: { sno1: "UnrecoverableError" } });
    const plan = decide(aSnapshot(cgu));
    expect(recordsIn(plan).sno1).toMatchObject({ state: "UnrecoverableError", reason: "Removed" });
    expect(named(plan)).toEqual([]);
  });

  test("When a report was deleted, it should be rebuilt from the ManifestWorks", () => {
    const cgu = anUpgrade(["sno1", "sno2"]);
    const works = [
      workWith(pulling, cgu, { attempt: 3 }),
      held(workWith(suspendedJob, cgu, { cluster: "sno2" })),
    ];
    const hub = settled(cgu, works);
    const plan = decide({ ...hub, reports: [] });
    expect(recordsIn(plan)).toMatchObject({
      sno1: { state: "Active", attempt: 3 },
      sno2: { attempt: 1, suspend: false },
    });
  });

  test("When the record of a returned cluster with a slot is lost, its Job should be resumed all the same", () => {
    const cgu = anUpgrade(["sno1"], { states: { sno1: "PreparingToStart" } });
    const plan = decide(aSnapshot(cgu, { works: [held(workWith(suspendedJob))] }));
    expect(recordsIn(plan).sno1).toMatchObject({ state: "PreparingToStart", suspend: false });
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When a cluster has left the plan, it should leave status and reports, and start again when it returns", () => {
    const both = anUpgrade(["sno1", "sno2"]);
    const before = settled(both, [workWith(succeeded, both), workWith(pulling, both, { cluster: "sno2" })]);
    const planned = (clusters: readonly string[], { cgu }: Snapshot): KubernetesObject => {
      const { precaching, ...status } = Object(cgu?.status);
      return { ...(cgu ?? both), status: { ...status, precaching: { ...precaching, clusters } } };
    };
    const left = { ...before, cgu: planned(["sno2"], before) };
    const plan = decide(left);
    expect(statesIn(plan)).toEqual({ sno2: "Active" });
    expect(Object.keys(recordsIn(plan))).toEqual(["sno2"]);
    const gone = afterwards({ ...left, works: left.works?.slice(1) }, plan);
    expect(statesIn(decide({ ...gone, cgu: planned(["sno1", "sno2"], gone) }))).toEqual({
      sno1: "PreparingToStart",
      sno2: "Active",
    });
  });

  test("When the status has no states but an empty list of them, it should not be written for that", () => {
    const windows = [aWindow("day", { schedule: "0 12 * * *" })];
    const surroundings = { ...noSurroundings, windows };
    const snapshot = aSnapshot(one, { surroundings });
    const hub = afterwards(snapshot, decide(snapshot));
    const { precaching, ...status } = Object(hub.cgu?.status);
    const { status: _none, ...others } = precaching;
    const cgu = { ...one, status: { ...status, precaching: others } };
    expect(writesOf(decide({ ...hub, cgu }))).toEqual([]);
  });
});

describe("works on the hub", () => {
  const earlier = anUpgrade(["sno1"], { platformImage: "quay.io/other:1" });

  test("When the plan has other content, it should remove the works of the content before", () => {
    const { revision } = runOfUpgrade(one);
    const foreign = { ...workFor(earlier, "sno3"), metadata: { namespace: "sno3", name: "foreign" } };
    const old = workFor(earlier, "sno1");
    const works = [old, deleting(workFor(earlier, "sno2")), foreign, workWith(pulling)];
    expect(written(decide(aSnapshot(one, { works }))).filter((line) => line.startsWith("delete"))).toEqual([
      `delete ManifestWork sno1 ${old.metadata.name}: revision ${revision} replaces it`,
    ]);
  });

  test("When the work of an earlier attempt is there beside that of a retry, it should remove it", () => {
    const [first, retry] = [workFor(one, "sno1"), workFor(one, "sno1", 2)];
    const reports = reportsFor(one, { sno1: { state: "Active", reason: "Pulling", attempt: 2 } });
    const removals = (works: readonly KubernetesObject[]) =>
      written(decide(aSnapshot(one, { works, reports }))).filter((line) => line.startsWith("delete"));
    expect(removals([first, retry])).toEqual([
      `delete ManifestWork sno1 ${first.metadata.name}: a retry replaces it`,
    ]);
    expect(removals([first])).toEqual([]);
  });

  test("When the plan has other content, every cluster should start again with it", () => {
    const before = settled(earlier, [workWith(succeeded, earlier)]);
    expect(Object(before.cgu?.status).precaching.status).toEqual({ sno1: "Succeeded" });
    const { spec } = Object(one.status).precaching;
    const { precaching, ...status } = Object(before.cgu?.status);
    const cgu = { ...one, status: { ...status, precaching: { ...precaching, spec } } };
    const snapshot = { ...before, cgu };
    const plan = decide(snapshot);
    expect(statesIn(plan)).toEqual({ sno1: "PreparingToStart" });
    expect(conditionIn(plan)).toContain("PrecachingSuceeded False InProgress");
    expect(recordsIn(plan).sno1).toMatchObject({ state: "PreparingToStart", attempt: 1 });
    expect(named(plan)).toEqual(["sno1"]);
    expect(outcomes(plan)).toEqual([]);
    // A kill after the status leaves the reports of the content before: the same is decided again.
    const { guard } = plan;
    const killed = afterwards(snapshot, { ...(guard ? { guard } : {}), actions: [] });
    expect(decide(killed).guard).toBeUndefined();
    expect(recordsIn(decide(killed))).toEqual(recordsIn(plan));
    const hub = afterwards(snapshot, plan);
    expect([writesOf(decide(hub)), named(decide(hub))]).toEqual([[], []]);
  });

  test("When the content of thousands is replaced, it should remove 500 at a time", () => {
    const works = Array.from({ length: 501 }, (_, index) => workFor(earlier, `sno${index}`));
    const { actions } = decide(aSnapshot(one, { works }));
    expect(actions.filter(({ verb }) => verb === "delete")).toHaveLength(500);
  });

  test("When the hub's ManifestWork kind is old, it should report that only hubrelay removes finished work", () => {
    const work = workWith(pulling);
    const { manifestConfigs } = Object(work.spec);
    const configs = manifestConfigs.map(
      ({ conditionRules: _rules, ...config }: Record<string, unknown>) => config,
    );
    const old = { ...work, spec: { ...Object(work.spec), manifestConfigs: configs } };
    expect(decisions(decide(aSnapshot(one, { works: [old] })))).toEqual([
      `${upgradeName} InProgress: 1 Active. The hub's ManifestWork kind is older than OCM API v1.0.0: only hubrelay removes finished work.`,
    ]);
  });

  test("When an ended run is removed, its name should be that of its attempt", () => {
    const attempt = 2;
    const fields = { reason: "Completed", attempt, since: ago(500) } as const;
    const works = [workWith(succeeded, one, { attempt })];
    expect(works[0]?.metadata.name).toBe(workName(runOfUpgrade(one, attempt)));
    expect(named(decide(aSnapshot(one, { ...recorded("Succeeded", fields), works })))).toEqual(["sno1"]);
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
});

describe("the next reconcile", () => {
  const { cgu } = recorded("Starting");
  const fields = { state: "Starting", reason: "WaitsForAgent", started: ago(0) } as const;
  const laterWith = (lookAt: Date | undefined, record: Partial<ClusterRecord> = fields) =>
    laterIn(
      decide(
        aSnapshot(cgu, {
          works: [workFor(cgu, "sno1")],
          reports: reportsFor(cgu, { sno1: record }, lookAt ? { lookAt } : {}),
        }),
      ),
    );

  test.for([
    ["nothing is planned", undefined, 5],
    ["the planned time has passed", later(-1), 5],
    ["the planned time is now", now, 5],
    ["its message has arrived, and the clock here is a second behind", later(1), 5],
    ["the planned time is more than five seconds late", later(11), 5],
    ["the planned time is five seconds late", later(10), undefined],
    ["it is planned in time", later(3), undefined],
  ] as const)("When %s, at most one message should be on its way", ([, lookAt, expected]) => {
    expect(laterWith(lookAt)).toEqual(expected);
  });

  test("When a message is sent for later, it should name only the upgrade, and its time be recorded", () => {
    const plan = decide(aSnapshot(one));
    const send = plan.sends?.find(({ queue }) => queue === "precache-feedback");
    expect(send).toMatchObject({
      delaySeconds: 5,
      events: [
        {
          source: "urn:test:hub",
          data: { kind: "ClusterGroupUpgrade", namespace: "default", name: "upgrade" },
        },
      ],
    });
    expect(plan.actions[0]?.object.lookAt).toBe(later(5).toISOString());
  });

  test("When a deadline is near, it should be awaited instead of the next refresh", () => {
    expect(laterWith(undefined, { ...fields, started: ago(88) })).toBe(2);
  });

  test("When nothing has changed for long, the clusters should be read less often", () => {
    expect(laterWith(undefined, { ...fields, reason: "Applied", since: ago(120) })).toBe(30);
    expect(laterWith(undefined, { ...fields, reason: "Applied", since: ago(900) })).toBe(60);
  });

  test("When a deadline has passed already, it should reconcile in two seconds", () => {
    const late = { state: "Starting", reason: "NotApplied", message: "x", started: ago(100_000) } as const;
    const hub = aSnapshot(cgu, { reports: reportsFor(cgu, { sno1: late }) });
    expect(laterIn(decide(asReadFor(hub, {})))).toBe(2);
  });

  test("When no cluster runs or waits for its agent, no message should be sent", () => {
    expect(laterIn(decide(settled(one, [workWith(succeeded)])))).toBeUndefined();
    const windows = [aWindow("day", { schedule: "0 12 * * *" })];
    const waits = aSnapshot(one, { surroundings: { ...noSurroundings, windows } });
    expect(laterIn(decide(waits))).toBeUndefined();
  });
});

describe("an upgrade that is over", () => {
  test("When clusters wait or have slots, none should be named for a start", () => {
    const cgu = overUpgrade(
      anUpgrade(["sno1", "sno2", "sno3"], { states: { sno1: "PreparingToStart", sno2: "Starting" } }),
    );
    const reports = reportsFor(cgu, {
      sno1: { state: "PreparingToStart", reason: "Claimed", since: ago(60) },
      sno2: { state: "Starting", reason: "ClusterNotReached", started: ago(60) },
    });
    const plan = decide(aSnapshot(cgu, { reports, works: [workFor(cgu, "sno2")] }));
    expect(named(plan)).toEqual([]);
    expect(recordsIn(plan)).not.toHaveProperty("sno3");
  });

  test.for([
    ["keeps its objects", true, []],
    ["removes its objects", false, ["sno1"]],
  ] as const)("When it %s, the work of a failed cluster should follow", ([, keeps, expected]) => {
    const cgu = overUpgrade(anUpgrade(["sno1"], { states: { sno1: "UnrecoverableError" } }), keeps);
    const fields = { state: "UnrecoverableError", reason: "PullFailed", since: ago(500) } as const;
    const reports = reportsFor(cgu, { sno1: fields });
    expect(named(decide(aSnapshot(cgu, { reports, works: [workWith(failed)] })))).toEqual(expected);
  });
});
