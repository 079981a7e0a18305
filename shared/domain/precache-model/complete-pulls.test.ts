import { describe, expect, test } from "vitest";
import { anUpgrade, reportsFor, runOfUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import type { FeedbackValue } from "../precache-progress/feedback.ts";
import { recordAfter } from "../precache-progress/record-after.ts";
import { type ClusterRecord, claimed } from "./cluster-record.ts";
import { changedReports, completePullOf, completePullsOf } from "./precaching-report.ts";

const cgu = anUpgrade(["sno1", "sno2"]);
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
  test.for<
    Readonly<{
      what: string;
      reports: Parameters<typeof after>[0];
      pulled: ReturnType<typeof completePullOf>;
    }>
  >([
    {
      what: "it reports bytes while it runs and at its end",
      reports: [
        [1, { active: 1, ...bytes(100) }],
        [5, { active: 1, ...bytes(600) }],
        [9, { complete: "True", ...bytes(1_000) }],
      ],
      pulled: { bytes: 900, from: "2026-03-01T02:01:00Z", until: "2026-03-01T02:09:00Z" },
    },
    {
      what: "it was suspended meanwhile, the time since it continued",
      reports: [
        [1, { active: 1, ...bytes(100) }],
        [5, { suspended: "True", ...bytes(600) }],
        [65, { active: 1, ...bytes(600) }],
        [69, { complete: "True", ...bytes(1_000) }],
      ],
      pulled: { bytes: 400, from: "2026-03-01T03:05:00Z", until: "2026-03-01T03:09:00Z" },
    },
    {
      what: "it reports only its end, nothing",
      reports: [[9, { complete: "True", ...bytes(1_000) }]],
      pulled: undefined,
    },
    {
      what: "everything was there, nothing",
      reports: [
        [1, { active: 1, ...bytes(1_000) }],
        [2, { complete: "True", ...bytes(1_000) }],
      ],
      pulled: undefined,
    },
    {
      what: "it fails, nothing",
      reports: [
        [1, { active: 1, ...bytes(100) }],
        [9, { failedStatus: "True", ...bytes(900) }],
      ],
      pulled: undefined,
    },
    {
      what: "it is younger than its reports, nothing",
      reports: [
        [1, { active: 1, ...bytes(100) }],
        [1.1, { complete: "True", ...bytes(1_000) }],
      ],
      pulled: undefined,
    },
  ])("When $what, it should be known", ({ reports, pulled }) => {
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
