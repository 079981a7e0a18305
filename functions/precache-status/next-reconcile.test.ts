import { describe, expect, test } from "vitest";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { reportsFor, workFor } from "../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../test/support/precache/precache-system.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import {
  ago,
  aSnapshot,
  asReadFor,
  later,
  laterIn,
  noSurroundings,
  one,
  recorded,
  settled,
  succeeded,
  workWith,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";

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
