import { describe, expect, test } from "vitest";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  aSnapshot,
  later,
  noSurroundings,
  one,
  pulling,
  recorded,
  recordsIn,
  settled,
  workWith,
  writesOf,
  writtenKinds,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";

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
