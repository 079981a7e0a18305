import { describe, expect, test } from "vitest";
import { aCheckRun, aWork, reported } from "../../../test/support/precache/precache-objects.ts";
import { aStoredUpgrade, runOfUpgrade, workFor } from "../../../test/support/precache/precache-snapshots.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type ClusterRecord, claimed, statesFor } from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState, stateNames } from "../precache-model/cluster-state.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { plannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { asLost, type DesiredWork, desiredWork, follow, isRetried } from "./follow.ts";

const now = new Date("2026-03-01T02:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString().replace(".000Z", "Z");
const justNow = ago(0);

/** Some fields of a record; undefined for one that it must not have. */
type Fields = Readonly<{ [Field in keyof ClusterRecord]?: ClusterRecord[Field] | undefined }>;

type Given = Readonly<{
  /** The record; absent when there is none. */
  record?: Partial<ClusterRecord>;
  /** The state in the status. */
  state?: string;
  works?: readonly KubernetesObject[] | undefined;
  retry?: readonly string[];
}>;

const cgu = aStoredUpgrade(["sno1"]);
/** The record of sno1 after everything that was read; without `works`, its ManifestWorks were read and are none. */
function followed({ record, state, retry, ...given }: Given): ClusterRecord | undefined {
  const upgrade = plannedUpgrade(aStoredUpgrade(["sno1"], { states: state ? { sno1: state } : {} }));
  if (!upgrade) throw new Error("the upgrade is not planned");
  const works = "works" in given ? given.works : [];
  const records = new Map(record ? [["sno1", aWaitingRecord({ since: ago(10), ...record })]] : []);
  const requested = retry && new Set(retry);
  return follow({ upgrade, records, worksOf: () => works, retry: requested, now }).get("sno1");
}
const workOf = (job: Readonly<Record<string, string | number>>, attempt = 1) =>
  reported(workFor(cgu, "sno1", attempt), { job }, runOfUpgrade(cgu, attempt));
const bytes = { bytesDone: 5, bytesTotal: 9 };
const started = ago(30);
const checked = { started: ago(60), attempt: 1, checked: ago(50), imagesPresent: 9, imagesTotal: 9 };

describe("a cluster after everything that was read", () => {
  const slot = { state: "PreparingToStart", reason: "Claimed" } as const;
  const inTalm = { state: "PreparingToStart" };
  const waiting = { state: "NotStarted", reason: "Waiting" } as const;
  const pulling = { state: "Active", reason: "Pulling", started } as const;
  const timedOut = { state: "PrecacheTimeout" };
  const gone = { ...pulling, attempt: 2, suspend: false, ...bytes };
  const silent = { state: "PrecacheTimeout", reason: "NoReport", started, imagesDone: 3 } as const;
  const beingChecked = { state: "Succeeded", reason: "Completed", check: { started, attempt: 1 } } as const;
  const retried = { state: "NotStarted", attempt: 2 } as const;
  const [claimText, removedText, endedText, notCreatedText] = [
    "It has a slot and is being started.",
    "It was removed; it starts again.",
    "It has ended, and was removed before details were recorded.",
    "It has a slot, but its ManifestWork could not be created: the cluster's namespace may be missing.",
  ];
  const again = { ...slot, reason: "Removed", message: removedText, attempt: 2, started: justNow } as const;
  const ended = { state: "PrecacheTimeout", reason: "Removed", message: endedText, since: justNow } as const;
  const otherContent = aWork("sno1", { ...runOfUpgrade(cgu), revision: "0000000000" });
  const retry = ["sno1"];

  test.for<readonly [what: string, given: Given, after: Fields | undefined]>([
    ["nothing is known of it", {}, undefined],
    [
      "its works were not read",
      { record: { ...slot, since: ago(900) }, works: undefined },
      { ...slot, since: ago(900) },
    ],
    [
      "its slot is in the status and has no record yet",
      inTalm,
      { ...slot, message: claimText, attempt: 1, since: justNow, started: justNow },
    ],
    [
      "its slot is in the status and not in its record",
      { record: { attempt: 2, ...bytes, check: checked }, ...inTalm },
      { ...slot, attempt: 2, ...bytes, check: checked },
    ],
    [
      "its slot is in its record and given back in the status",
      { record: { ...slot, attempt: 2, started, ...bytes } },
      { ...waiting, attempt: 2, since: justNow, started: undefined, ...bytes },
    ],
    [
      "it pulls, and its slot is still in the status",
      { record: pulling, ...inTalm, works: [workOf({ active: 1 })] },
      { ...pulling, since: ago(10) },
    ],
    ["its record is lost and it has ended", timedOut, ended],
    [
      "it is retried and its end is still in the status",
      { record: { attempt: 2 }, ...timedOut },
      { ...waiting, attempt: 2, since: ago(10) },
    ],
    [
      "its work is gone while it pulls",
      { record: gone, state: "Active" },
      { ...again, suspend: undefined, ...bytes },
    ],
    [
      "its work is gone after it has returned",
      { record: { reason: "Returned", message: "x", suspend: true } },
      { ...waiting, message: "", suspend: undefined },
    ],
    ["a work of other content has ended", { works: [otherContent] }, undefined],
    [
      "its work was not created for a minute",
      { record: { ...slot, since: ago(60) }, ...inTalm },
      { ...slot, reason: "NotCreated", message: notCreatedText, since: ago(60) },
    ],
    [
      "its retry is requested, and its check has ended",
      { record: { ...silent, ...bytes, check: checked }, ...timedOut, retry },
      { ...retried, started: undefined, imagesDone: undefined, ...bytes, check: checked },
    ],
    [
      "its retry is requested while it is checked",
      { record: beingChecked, state: "Succeeded", retry },
      { ...retried, check: undefined },
    ],
  ])("When $0, its record should be $2", ([, given, after]) => {
    const record = followed(given);
    if (after === undefined) expect(record).toBeUndefined();
    for (const [field, value] of Object.entries(after ?? {}))
      expect([field, Object(record)[field]]).toEqual([field, value]);
  });
});

test("When its check has ended, the record should hold the result", () => {
  const run = { ...aCheckRun, ...runOfUpgrade(cgu), check: Date.parse(started) / 1000 };
  const progress = { reason: "Checked", imagesDone: "8", imagesTotal: "9", image: "", detail: "a" };
  const work = reported(aWork("sno1", run), { job: { complete: "True" }, progress }, run);
  const record = { state: "Succeeded", reason: "Completed", check: { started, attempt: 1 } } as const;
  const { check } = followed({ record, state: "Succeeded", works: [work] }) ?? {};
  expect(check).toMatchObject({ checked: justNow, imagesPresent: 8, imagesTotal: 9 });
});

test.for([
  { what: "was suspended", fields: { suspend: true }, suspend: false },
  { what: "was never suspended", fields: {}, suspend: undefined },
])(
  "When a cluster whose Job $what gets a slot, its Job should be resumed if need be",
  ({ fields, suspend }) => {
    const record = claimed(aWaitingRecord({ attempt: 2, ...fields }), now);
    expect([record.attempt, record.suspend, record.started]).toEqual([2, suspend, justNow]);
  },
);

test.for([
  { what: "its bytes are known", fields: { bytesDone: 1_000, bytesTotal: 1_000 }, bytesDone: 888 },
  { what: "they are not", fields: {}, bytesDone: undefined },
])(
  "When a cluster has lost an image of nine and $what, it should wait for another attempt",
  ({ fields, bytesDone }) => {
    const check = { ...checked, imagesPresent: 8 };
    const record = asLost(aWaitingRecord({ state: "Succeeded", reason: "Completed", check, ...fields }), now);
    expect(record).toEqual({
      ...aWaitingRecord({ attempt: 2, since: justNow }),
      message: "1 of 9 images were missing; it is pre-cached again.",
      check,
      ...fields,
      ...(bytesDone === undefined ? {} : { bytesDone }),
    });
  },
);

test("When states are written, a cluster that has not started should have none", () => {
  const records = new Map([
    ["sno1", aWaitingRecord({})],
    ["sno2", aWaitingRecord({ state: "Active", reason: "Pulling" })],
  ]);
  expect(statesFor(records)).toEqual({ sno2: "Active" });
});

test.for<readonly [state: string | undefined, requested: readonly string[], isRetried: boolean]>([
  ["PrecacheTimeout", ["failed"], true],
  ["UnrecoverableError", ["failed"], true],
  ["UnrecoverableError", ["sno2"], false],
  ["UnrecoverableError", ["sno2", "sno1"], true],
  ["Succeeded", ["failed"], false],
  ["Succeeded", ["sno1"], true],
  ["Active", ["failed", "sno1"], false],
  ["NotStarted", ["sno1"], false],
  [undefined, ["sno1"], false],
])(
  "When sno1 is in the state %s and %j are requested, it should be retried: %s",
  ([state, requested, expected]) => {
    expect(isRetried("sno1", state, new Set(requested))).toBe(expected);
  },
);

const underWay = { isOver: false, keepsObjects: false };
const over = { isOver: true, keepsObjects: false };
const overAndKept = { isOver: true, keepsObjects: true };
const all = stateNames;

const failed = { state: "UnrecoverableError", reason: "PullFailed" } as const;
const late = { state: "PrecacheTimeout", reason: "DeadlineExceeded" } as const;
const unreached = { state: "PrecacheTimeout", reason: "ClusterNotReached", suspend: true } as const;

/** What is desired of each record: while the upgrade is under way, when it is over, and when it then keeps its objects. */
test.for<readonly [record: Partial<ClusterRecord>, ...desired: [DesiredWork, DesiredWork, DesiredWork]]>([
  [{}, "any", "any", "any"],
  [{ state: "PreparingToStart", reason: "Claimed" }, "running", "any", "any"],
  [{ state: "Active", reason: "Pulling" }, "running", "any", "any"],
  [{ state: "Active", reason: "Pulling", suspend: true }, "suspended", "any", "any"],
  [{ state: "Starting", reason: "Suspended", suspend: false }, "running", "any", "any"],
  [{ reason: "Returned", suspend: true }, "suspended", "any", "any"],
  [{ reason: "ClusterNotReached", suspend: true }, "suspended", "any", "any"],
  [{ state: "Succeeded", reason: "Completed" }, "absent", "absent", "absent"],
  [failed, "any", "absent", "any"],
  [late, "any", "absent", "any"],
  [{ state: "PrecacheTimeout", reason: "NoReport" }, "absent", "absent", "absent"],
  [unreached, "absent", "absent", "absent"],
])("When the record is $0, its ManifestWork should be $1, $2 and $3", ([record, ...desired]) => {
  expect(
    [underWay, over, overAndKept].map((upgrade) => desiredWork(aWaitingRecord(record), upgrade)),
  ).toEqual(desired);
});

test("When a cluster is in any state, only an ended run should be removed, and only one with a slot run", () => {
  for (const state of all)
    for (const upgrade of [underWay, over, overAndKept]) {
      const desired = desiredWork(aWaitingRecord({ state }), upgrade);
      if (desired === "absent") expect(isFinalState(state)).toBe(true);
      if (desired === "running") expect(isRunningState(state)).toBe(true);
    }
});
