import { describe, expect, test } from "vitest";
import { anUpgrade, reportsFor, runOfUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { ClusterRecord } from "./cluster-record.ts";
import { aWaitingRecord } from "./fixtures.ts";
import {
  changedReports,
  currentUpgrade,
  freeBytesOf,
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

const earlier = aReport("upgrade-0", {
  a: { ...record, since: "2026-03-01T02:00:00Z", bytesFree: 100 },
  b: { ...record, since: "2026-03-03T02:00:00Z", bytesFree: 50 },
  c: { ...record, since: "2026-03-01T02:00:00Z" },
  d: { bytesFree: 1 },
});
const later = aReport("other-0", {
  a: { ...record, since: "2026-03-02T02:00:00+00:00", bytesFree: 70 },
  b: { ...record, since: "2026-03-02T02:00:00Z", bytesFree: 90 },
});

test.for([
  { order: "in order", reports: [earlier, later] },
  { order: "the other way round", reports: [later, earlier] },
])(
  "When several reports $order say what is free, the latest record of each cluster should count",
  ({ reports }) => {
    expect(Object.fromEntries(freeBytesOf(reports))).toEqual({ a: 70, b: 50 });
  },
);

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
    bytesFree: 5,
    check: { started: since, attempt: 1 },
  };
  test.for<Readonly<{ what: string; stored: unknown; read: object | undefined }>>([
    { what: "the required fields", stored, read: stored },
    { what: "every field", stored: whole, read: whole },
    { what: "unknown fields", stored: { ...whole, colour: "red" }, read: whole },
    {
      what: "fields of other types",
      stored: { ...stored, message: 1, started: 1, suspend: "true", imagesDone: "1", check: "none" },
      read: stored,
    },
    {
      what: "a check with fields of other types",
      stored: { ...whole, check: { ...whole.check, imagesTotal: "9" } },
      read: whole,
    },
    {
      what: "a check without a start",
      stored: { ...stored, check: { attempt: 1 } },
      read: stored,
    },
    {
      what: "a reason of another version",
      stored: { ...stored, reason: "Painted" },
      read: { ...stored, reason: "Unknown" },
    },
    { what: "no reason", stored: { ...stored, reason: undefined }, read: { ...stored, reason: "Unknown" } },
    { what: "no message", stored: { ...stored, message: undefined }, read: stored },
    { what: "an unknown state", stored: { ...stored, state: "Painted" }, read: undefined },
    { what: "the state of every object", stored: { ...stored, state: "toString" }, read: undefined },
    { what: "no state", stored: { ...stored, state: undefined }, read: undefined },
    { what: "no attempt", stored: { ...stored, attempt: "1" }, read: undefined },
    { what: "no time", stored: { ...stored, since: 1 }, read: undefined },
    { what: "only a text", stored: "Succeeded", read: undefined },
  ])("When a record has $what, it should be read without what is invalid", ({ stored, read }) => {
    expect(recordsOf([aReport("r", { a: Object(stored) })], "r").get("a")).toEqual(read);
  });

  test("When a report is of another revision, or has no clusters, it should have no records", () => {
    const other = aReport("other", { a: stored });
    expect(recordsOf([other, { ...other, revision: "r", clusters: "a" }], "r").size).toBe(0);
  });
});

describe("whether a content is done", () => {
  const done = { sno1: "Succeeded", sno2: "PrecacheTimeout" };
  const upgradeIn = (states: Readonly<Record<string, string>>) => anUpgrade(["sno1", "sno2"], { states });
  const reports = reportsFor(upgradeIn(done), { sno1: {}, sno2: {} });
  const before = reports.map((report) => ({ ...report, revision: "0000000000" }));

  test.for([
    { what: "every cluster has ended", states: done, reports, isDone: true, known: done },
    {
      what: "one has not ended",
      states: { ...done, sno2: "Active" },
      reports,
      isDone: false,
      known: { ...done, sno2: "Active" },
    },
    {
      what: "one has not started",
      states: { sno1: "Succeeded" },
      reports,
      isDone: false,
      known: { sno1: "Succeeded" },
    },
    {
      what: "all have ended with the content before",
      states: done,
      reports: before,
      isDone: false,
      known: {},
    },
    { what: "there is no report yet", states: done, reports: [], isDone: false, known: done },
  ])("When $what, it should be done: $isDone, and its states $known", (given) => {
    const cgu = upgradeIn(given.states);
    expect(isDone(cgu, given.reports)).toBe(given.isDone);
    expect(currentUpgrade(cgu, given.reports)?.states).toEqual(given.known);
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
    bytesFree: 100,
  } as const;
  const cgu = anUpgrade(["sno1", "sno2"]);
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

  test.for<Readonly<{ what: string; records: Records; after?: number; isWritten: boolean }>>([
    { what: "nothing changes", records: { sno1: pulling, sno2: {} }, after: 3600, isWritten: false },
    {
      what: "counts change",
      records: { sno1: { ...pulling, imagesDone: 2, bytesDone: 20, bytesFree: 90 }, sno2: {} },
      after: 59,
      isWritten: false,
    },
    {
      what: "counts changed and a minute has passed",
      records: { sno1: { ...pulling, imagesDone: 2 }, sno2: {} },
      after: 60,
      isWritten: true,
    },
    {
      what: "a state changes",
      records: { sno1: { ...pulling, state: "Succeeded", reason: "Completed" }, sno2: {} },
      isWritten: true,
    },
    {
      what: "a total becomes known",
      records: { sno1: { ...pulling, imagesTotal: 9 }, sno2: {} },
      isWritten: true,
    },
    { what: "a cluster has gone", records: { sno1: pulling }, isWritten: true },
  ])("When $what, the report should be written now: $isWritten", ({ records, after = 1, isWritten }) => {
    const written = write(present, records, { at: later(after) });
    expect(written.map(({ metadata }) => metadata.resourceVersion)).toEqual(isWritten ? ["9"] : []);
  });

  test("When nothing says when a report was written, changed counts should be written at once", () => {
    const undated = present.map((report) => ({ ...report, written: undefined }));
    expect(write(undated, { sno1: { ...pulling, imagesDone: 2 }, sno2: {} })).toHaveLength(1);
  });

  test("When the content changes, the report should be written for it, with the same name", () => {
    const of = anUpgrade(["sno1", "sno2"], { platformImage: `quay.io/r@sha256:${"b".repeat(64)}` });
    const written = write(present, { sno1: pulling, sno2: {} }, { of });
    expect(written).toMatchObject([{ metadata: { name: "upgrade-0", resourceVersion: "9" } }]);
    expect(written[0]?.revision).toBe(runOfUpgrade(of).revision);
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
    const reports = write([], all, { of: anUpgrade(clusters), lookAt: later(5) });
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
    const rest = anUpgrade(clusters.slice(1));
    const changed = write(reports, { ...others, sno1000: pulling }, { of: rest, lookAt: later(5) });
    expect(changed.map(({ clusters: some }) => Object.keys(Object(some)).length)).toEqual([999, 1]);
    const one = write(reports, { ...all, sno1000: pulling }, { of: anUpgrade(clusters), lookAt: later(5) });
    expect(one.map(({ metadata }) => metadata.name)).toEqual(["upgrade-1"]);
  });
});
