import { describe, expect, test } from "vitest";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  afterwards,
  asReadFor,
  conditionIn,
  failed,
  named,
  noSurroundings,
  recordsIn,
  settled,
  statesIn,
  succeeded,
  withRetry,
  workWith,
  writesOf,
  writtenKinds,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

describe("retries", () => {
  const cgu = aStoredUpgrade(["sno1", "sno2"]);
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
