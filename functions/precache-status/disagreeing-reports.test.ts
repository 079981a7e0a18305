import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  afterwards,
  aSnapshot,
  failed,
  held,
  type Job,
  named,
  noSurroundings,
  one,
  outcomes,
  pulling,
  recorded,
  recordsIn,
  settled,
  statesIn,
  succeeded,
  suspendedJob,
  workWith,
  writesOf,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

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

  test("When it was killed before the reports, an end should be recorded, a failure be reported, and the work of a success be removed", () => {
    const { reports } = recorded("Active", { reason: "Pulling" });
    const endedWith = (job: Job) => decide({ ...settled(one, [workWith(job)]), reports });
    expect(endedWith(succeeded).guard).toBeUndefined();
    expect(recordsIn(endedWith(succeeded)).sno1).toMatchObject({ state: "Succeeded" });
    expect(named(endedWith(succeeded))).toEqual(["sno1"]);
    expect(outcomes(endedWith(failed))).toEqual(["cluster-failed default/upgrade/sno1"]);
  });

  test("When a report was deleted, it should be rebuilt from the ManifestWorks", () => {
    const cgu = aStoredUpgrade(["sno1", "sno2"]);
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
    const cgu = aStoredUpgrade(["sno1"], { states: { sno1: "PreparingToStart" } });
    const plan = decide(aSnapshot(cgu, { works: [held(workWith(suspendedJob))] }));
    expect(recordsIn(plan).sno1).toMatchObject({ state: "PreparingToStart", suspend: false });
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When a cluster has left the plan, it should leave status and reports, and start again when it returns", () => {
    const both = aStoredUpgrade(["sno1", "sno2"]);
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
