import { expect, test } from "vitest";
import type { ClusterRecord } from "../precache-model/cluster-record.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { nextRefresh } from "./deadlines.ts";

const now = new Date("2026-03-01T03:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();
const many = (count: number, fields: Partial<ClusterRecord>) =>
  Array.from({ length: count }, () => aWaitingRecord(fields));
const pulling = (seconds: number) => ({ state: "Active", reason: "Pulling", since: ago(seconds) }) as const;

/** The seconds until the clusters are read again. */
function secondsFor(records: Iterable<ClusterRecord>): number | undefined {
  const next = nextRefresh(records, now);
  return next && (next.getTime() - now.getTime()) / 1000;
}

test.for([
  ["no cluster is recorded", [], undefined],
  ["all clusters wait", many(9, {}), undefined],
  ["all have ended", many(9, { state: "Succeeded", reason: "Completed" }), undefined],
  ["one has a slot", many(1, { state: "PreparingToStart", reason: "Claimed", since: ago(0) }), 5],
  ["one pulls since now", many(1, pulling(0)), 5],
  ["one pulls for 20 seconds", many(1, pulling(20)), 5],
  ["one pulls for two minutes", many(1, pulling(120)), 30],
  ["one pulls for four minutes", many(1, pulling(240)), 60],
  ["one pulls for hours", many(1, pulling(10_000)), 60],
  ["a thousand have just started", many(1_000, pulling(0)), 20],
  ["a fleet has just started", many(9_000, pulling(0)), 60],
  ["another cluster has ended just now", [...many(1, pulling(900)), aWaitingRecord({ since: ago(0) })], 5],
] as const)(
  "When %s, its clusters should be read again after as long as that is worth",
  ([, records, seconds]) => {
    expect(secondsFor(records)).toBe(seconds);
  },
);

test("When records are in another order, the time should be the same", () => {
  const records = [...many(300, pulling(60)), ...many(3, pulling(30)), ...many(3, {})];
  expect(secondsFor(records.toReversed())).toBe(secondsFor(records));
});
