import { describe, expect, test } from "vitest";
import {
  aStoredUpgrade,
  reportsFor,
  runOfUpgrade,
} from "../../../test/support/precache/precache-snapshots.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { FeedbackValue } from "../precache-progress/feedback.ts";
import { recordAfter } from "../precache-progress/record-after.ts";
import { type ClusterRecord, claimed } from "./cluster-record.ts";
import { aWaitingRecord } from "./fixtures.ts";
import {
  changedReports,
  completePullOf,
  completePullsOf,
  currentUpgrade,
  isDone,
  plannedReconcile,
  recordsOf,
} from "./precaching-report.ts";

const record = { state: "Succeeded", reason: "Completed", message: "", attempt: 1 };

function aReport(name: string, clusters: Readonly<Record<string, object>>): KubernetesObject {
  const metadata = { namespace: "ztp", name };
  return {
    apiVersion: "hubrelay.dev/v1alpha1",
    kind: "PreCachingReport",
    metadata,
    revision: name,
    clusters,
  };
}

describe("the records in reports", () => {
  const since = "2026-03-01T02:00:00Z";
  const stored = { ...record, since };
  const whole = {
    ...stored,
    started: since,
    suspend: true,
    imagesDone: 1,
    imagesTotal: 2,
    bytesDone: 3,
    bytesTotal: 4,
    check: { started: since, attempt: 1 },
  };
  test.for<readonly [what: string, stored: unknown, read: object | undefined]>([
    ["the required fields", stored, stored],
    ["every field", whole, whole],
    ["unknown fields", { ...whole, colour: "red" }, whole],
    [
      "fields of other types",
      { ...stored, message: 1, started: 1, suspend: "true", imagesDone: "1", check: "none" },
      stored,
    ],
    ["a reason of another version", { ...stored, reason: "Painted" }, { ...stored, reason: "Unknown" }],
    ["no reason", { ...stored, reason: undefined }, { ...stored, reason: "Unknown" }],
    ["no message", { ...stored, message: undefined }, stored],
    ["an unknown state", { ...stored, state: "Painted" }, undefined],
    ["the state of every object", { ...stored, state: "toString" }, undefined],
    ["no state", { ...stored, state: undefined }, undefined],
    ["no attempt", { ...stored, attempt: "1" }, undefined],
    ["no time", { ...stored, since: 1 }, undefined],
    ["only a text", "Succeeded", undefined],
  ])("When a record has $0, it should be read without what is invalid", ([, stored, read]) => {
    expect(recordsOf([aReport("r", { a: Object(stored) })], "r").get("a")).toEqual(read);
  });

  test("When a report is of another revision, or has no clusters, it should have no records", () => {
    const other = aReport("other", { a: stored });
    expect(recordsOf([other, { ...other, revision: "r", clusters: "a" }], "r").size).toBe(0);
  });
});

describe("whether a content is done", () => {
  const done = { sno1: "Succeeded", sno2: "PrecacheTimeout" };
  const upgradeIn = (states: Readonly<Record<string, string>>) =>
    aStoredUpgrade(["sno1", "sno2"], { states });
  const reports = reportsFor(upgradeIn(done), { sno1: {}, sno2: {} });
  const before = reports.map((report) => ({ ...report, revision: "0000000000" }));

  const active = { ...done, sno2: "Active" };
  const one = { sno1: "Succeeded" };

  type States = Readonly<Record<string, string>>;
  test.for<readonly [string, states: States, readonly KubernetesObject[], isDone: boolean, known: States]>([
    ["every cluster has ended", done, reports, true, done],
    ["one has not ended", active, reports, false, active],
    ["one has not started", one, reports, false, one],
    ["all have ended with the content before", done, before, false, {}],
    ["there is no report yet", done, [], false, done],
  ])("When $0, it should be done: $3, and its states $4", ([, states, given, expected, known]) => {
    const cgu = upgradeIn(states);
    expect(isDone(cgu, given)).toBe(expected);
    expect(currentUpgrade(cgu, given)?.states).toEqual(known);
  });

  test("When nothing is planned, nothing should be done", () => {
    const unplanned = { ...upgradeIn(done), status: {} };
    expect([isDone(unplanned, reports), currentUpgrade(unplanned, reports)]).toEqual([false, undefined]);
  });
});

describe("the reports to write", () => {
  const now = new Date("2026-03-01T02:00:00Z");
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const pulling = {
    state: "Active",
    reason: "Pulling",
    imagesDone: 1,
    bytesDone: 10,
  } as const;
  const cgu = aStoredUpgrade(["sno1", "sno2"]);
  type Records = Readonly<Record<string, Partial<ClusterRecord>>>;
  const write = (
    present: readonly KubernetesObject[],
    records: Records,
    { at = now, lookAt, of = cgu }: Readonly<{ at?: Date; lookAt?: Date; of?: KubernetesObject }> = {},
  ) => {
    const { cgu: name, revision } = runOfUpgrade(of);
    const { clusters } = currentUpgrade(of, []) ?? { clusters: [] };
    const entries = Object.entries(records).map(
      ([cluster, fields]) => [cluster, aWaitingRecord(fields)] as const,
    );
    return changedReports(present, {
      cgu: of,
      name,
      revision,
      clusters,
      records: new Map(entries),
      lookAt,
      now: at,
    });
  };
  const present = write([], { sno1: pulling, sno2: {} }).map((report) => ({
    ...report,
    metadata: { ...report.metadata, resourceVersion: "9" },
  }));

  test("When there is none, one should be created that belongs to the upgrade", () => {
    expect(write([], { sno1: pulling }, { lookAt: later(5) })).toEqual([
      {
        apiVersion: "hubrelay.dev/v1alpha1",
        kind: "PreCachingReport",
        metadata: {
          namespace: "default",
          name: "upgrade-0",
          labels: { "hubrelay.dev/cgu": "upgrade", "hubrelay.dev/cgu-namespace": "default" },
          ownerReferences: [
            {
              apiVersion: "ran.openshift.io/v1alpha1",
              kind: "ClusterGroupUpgrade",
              name: "upgrade",
              uid: "uid-of-upgrade",
            },
          ],
        },
        revision: runOfUpgrade(cgu).revision,
        written: "2026-03-01T02:00:00.000Z",
        lookAt: "2026-03-01T02:00:05.000Z",
        clusters: { sno1: aWaitingRecord(pulling) },
      },
    ]);
  });

  test("When the upgrade has no uid and the longest name, its report should have a valid name and no owner", () => {
    const { uid: _, ...metadata } = { ...cgu.metadata, name: "u".repeat(253) };
    const [report] = write([], { sno1: {} }, { of: { ...cgu, metadata } });
    expect(report?.metadata.name).toBe(`${"u".repeat(240)}-0`);
    expect(report?.metadata).not.toHaveProperty("ownerReferences");
  });

  test.for<readonly [what: string, records: Records, isWritten: boolean, after?: number | undefined]>([
    ["nothing changes", { sno1: pulling, sno2: {} }, false, 3600],
    ["counts change", { sno1: { ...pulling, imagesDone: 2, bytesDone: 20 }, sno2: {} }, false, 59],
    ["counts changed and a minute has passed", { sno1: { ...pulling, imagesDone: 2 }, sno2: {} }, true, 60],
    ["a state changes", { sno1: { ...pulling, state: "Succeeded", reason: "Completed" }, sno2: {} }, true],
    ["a total becomes known", { sno1: { ...pulling, imagesTotal: 9 }, sno2: {} }, true],
    ["a cluster has gone", { sno1: pulling }, true],
  ])("When $0, the report should be written now: $2", ([, records, isWritten, after = 1]) => {
    const written = write(present, records, { at: later(after) });
    expect(written.map(({ metadata }) => metadata.resourceVersion)).toEqual(isWritten ? ["9"] : []);
  });

  test("When nothing says when a report was written, changed counts should be written at once", () => {
    const undated = present.map((report) => ({ ...report, written: undefined }));
    expect(write(undated, { sno1: { ...pulling, imagesDone: 2 }, sno2: {} })).toHaveLength(1);
  });

  test("When a reconcile is planned, moved or no longer needed, the first report should say so", () => {
    const records = { sno1: pulling, sno2: {} };
    const { revision } = runOfUpgrade(cgu);
    expect(plannedReconcile(present, revision)).toBeUndefined();
    const planned = write(present, records, { lookAt: later(5) });
    expect(plannedReconcile(planned, revision)).toEqual(later(5));
    expect(plannedReconcile(planned, "other")).toBeUndefined();
    expect(write(planned, records, { lookAt: later(5) })).toEqual([]);
    expect(plannedReconcile(write(planned, records, { lookAt: later(6) }), revision)).toEqual(later(6));
    const [none] = write(planned, records);
    expect(none).not.toHaveProperty("lookAt");
  });

  test("When there are more clusters than a report holds, each should stay in its report when others leave", () => {
    const clusters = Array.from({ length: 1_001 }, (_, index) => `sno${index}`);
    const all = Object.fromEntries(clusters.map((cluster) => [cluster, {}]));
    const reports = write([], all, { of: aStoredUpgrade(clusters), lookAt: later(5) });
    const held = reports.map(({ metadata, clusters: some, lookAt }) => [
      metadata.name,
      Object.keys(Object(some)).length,
      lookAt !== undefined,
    ]);
    expect(held).toEqual([
      ["upgrade-0", 1_000, true],
      ["upgrade-1", 1, false],
    ]);
    const { sno0: _, ...others } = all;
    const rest = aStoredUpgrade(clusters.slice(1));
    const changed = write(reports, { ...others, sno1000: pulling }, { of: rest, lookAt: later(5) });
    expect(changed.map(({ clusters: some }) => Object.keys(Object(some)).length)).toEqual([999, 1]);
    const one = write(
      reports,
      { ...all, sno1000: pulling },
      { of: aStoredUpgrade(clusters), lookAt: later(5) },
    );
    expect(one.map(({ metadata }) => metadata.name)).toEqual(["upgrade-1"]);
  });
});

const cgu = aStoredUpgrade(["sno1", "sno2"]);
const run = runOfUpgrade(cgu);
const start = Date.parse("2026-03-01T02:00:00Z");

/** The record after these reports, each some minutes after the slot. */
const after = (
  reports: readonly (readonly [number, Readonly<Record<string, FeedbackValue>>])[],
): ClusterRecord =>
  reports.reduce<ClusterRecord>(
    (record, [minutes, values]) =>
      recordAfter(record, { run, applied: "True", values }, new Date(start + minutes * 60_000)),
    claimed(undefined, new Date(start)),
  );
const bytes = (bytesDone: number) => ({ bytesDone, bytesTotal: 1_000 });

describe("what a run has pulled", () => {
  type Reports = Parameters<typeof after>[0];
  const running = (minutes: number, count: number) => [minutes, { active: 1, ...bytes(count) }] as const;
  const complete = (minutes: number) => [minutes, { complete: "True", ...bytes(1_000) }] as const;
  const suspended = [5, { suspended: "True", ...bytes(600) }] as const;
  const failed = [9, { failedStatus: "True", ...bytes(900) }] as const;
  const between = (count: number, from: string, until: string) => ({
    bytes: count,
    from: `2026-03-01T${from}:00Z`,
    until: `2026-03-01T${until}:00Z`,
  });
  const throughout = [running(1, 100), running(5, 600), complete(9)];
  const interrupted = [running(1, 100), suspended, running(65, 600), complete(69)];

  test.for<readonly [what: string, reports: Reports, pulled: ReturnType<typeof completePullOf>]>([
    ["it reports bytes while it runs and at its end", throughout, between(900, "02:01", "02:09")],
    ["it was suspended, the time since it continued", interrupted, between(400, "03:05", "03:09")],
    ["it reports only its end, nothing", [complete(9)], undefined],
    ["everything was there, nothing", [running(1, 1_000), complete(2)], undefined],
    ["it fails, nothing", [running(1, 100), failed], undefined],
    ["it is younger than its reports, nothing", [running(1, 100), complete(1.1)], undefined],
  ])("When $0, it should be known", ([, reports, pulled]) => {
    expect(completePullOf(after(reports))).toEqual(pulled);
  });
});

test("When the content changes, a report should keep what runs of the content before have pulled", () => {
  const record = after([
    [1, { active: 1, ...bytes(100) }],
    [9, { complete: "True", ...bytes(1_000) }],
  ]);
  const reports = reportsFor(cgu, { sno1: record });
  const [next] = changedReports(reports, {
    cgu,
    name: run.cgu,
    revision: "another",
    clusters: ["sno1", "sno2"],
    records: new Map([["sno2", claimed(undefined, new Date(start))]]),
    lookAt: undefined,
    now: new Date(start),
  });
  const pull = { bytes: 900, from: "2026-03-01T02:01:00Z", until: "2026-03-01T02:09:00Z" };
  expect([...completePullsOf(next ? [next] : [])]).toEqual([["sno1", pull]]);
});

test("When clusters have left over the years, a report should keep the newest thousand of their pulls, and its own", () => {
  const [report] = reportsFor(cgu, { sno1: { state: "NotStarted" } });
  if (!report) throw new Error("no report");
  const pullOf = (index: number) => ({
    bytes: 900,
    from: new Date(start + index * 1_000).toISOString(),
    until: new Date(start + index * 1_000 + 60_000).toISOString(),
  });
  const gone = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, index) => [`gone${index}`, pullOf(index)]),
  );
  const done = after([
    [1, { active: 1, ...bytes(100) }],
    [9, { complete: "True", ...bytes(1_000) }],
  ]);
  const [next] = changedReports([{ ...report, pulls: gone }], {
    cgu,
    name: run.cgu,
    revision: run.revision,
    clusters: ["sno1"],
    records: new Map([["sno1", done]]),
    lookAt: undefined,
    now: new Date(start + 600_000),
  });
  const kept = completePullsOf(next ? [next] : []);
  expect(kept.size).toBe(1_000);
  expect(["sno1", "gone1199", "gone201", "gone200"].map((cluster) => kept.has(cluster))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
