import { expect, test } from "vitest";
import type { ClusterRecord } from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState, stateNames } from "../precache-model/cluster-state.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { type DesiredWork, desiredWork } from "./follow.ts";

const underWay = { isOver: false, keepsObjects: false };
const over = { isOver: true, keepsObjects: false };
const overAndKept = { isOver: true, keepsObjects: true };
const all = stateNames;

test.for<
  Readonly<{
    record: Partial<ClusterRecord>;
    /** While the upgrade is under way, when it is over, and when it then keeps its objects. */
    desired: readonly [DesiredWork, DesiredWork, DesiredWork];
  }>
>([
  { record: {}, desired: ["any", "any", "any"] },
  { record: { state: "PreparingToStart", reason: "Claimed" }, desired: ["running", "any", "any"] },
  { record: { state: "Active", reason: "Pulling" }, desired: ["running", "any", "any"] },
  { record: { state: "Active", reason: "Pulling", suspend: true }, desired: ["suspended", "any", "any"] },
  { record: { state: "Starting", reason: "Suspended", suspend: false }, desired: ["running", "any", "any"] },
  { record: { reason: "Returned", suspend: true }, desired: ["suspended", "any", "any"] },
  { record: { reason: "ClusterNotReached", suspend: true }, desired: ["suspended", "any", "any"] },
  { record: { state: "Succeeded", reason: "Completed" }, desired: ["absent", "absent", "absent"] },
  { record: { state: "UnrecoverableError", reason: "PullFailed" }, desired: ["any", "absent", "any"] },
  { record: { state: "PrecacheTimeout", reason: "DeadlineExceeded" }, desired: ["any", "absent", "any"] },
  { record: { state: "PrecacheTimeout", reason: "NoReport" }, desired: ["absent", "absent", "absent"] },
  {
    record: { state: "PrecacheTimeout", reason: "ClusterNotReached", suspend: true },
    desired: ["absent", "absent", "absent"],
  },
])("When the record is $record, its ManifestWork should be $desired", ({ record, desired }) => {
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
