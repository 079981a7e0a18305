import { describe, expect, test } from "vitest";
import { aPlannedUpgrade } from "../../../test/support/precache/precache-system.ts";
import { aWindow } from "../../../test/support/precache/precache-windows.ts";
import type { ClusterRecord } from "../precache-model/cluster-record.ts";
import { aWaitingRecord } from "../precache-model/fixtures.ts";
import { plannedUpgrade, withStates } from "../precache-model/planned-upgrade.ts";
import { heldBackBy, noWindows } from "./cluster-gates.ts";

const running = aWaitingRecord({ state: "Active", reason: "Pulling" });
const held = aWaitingRecord({ state: "Starting", reason: "Suspended" });
const ended = aWaitingRecord({ state: "Succeeded", reason: "Completed" });

describe("why a window keeps a cluster back", () => {
  const closed = "default/night is closed until 2026-03-02T01:00:00Z.";
  test.for<
    readonly [
      name: string,
      at: string,
      records: Readonly<Record<string, ClusterRecord>>,
      why: string | undefined,
    ]
  >([
    ["nothing is known of it and the window is closed", "12:00", {}, closed],
    ["nothing is known of it and the window is open", "01:00", {}, undefined],
    ["it is suspended and the window is closed", "12:00", { sno1: held }, closed],
    ["it runs, which its window lets finish", "12:00", { sno1: running }, undefined],
    ["it has ended", "12:00", { sno1: ended }, undefined],
  ])("When $0, it should be $3", ([, at, records, why]) => {
    const states = Object.entries(records).filter(([, { state }]) => state !== "NotStarted");
    const cgu = withStates(
      aPlannedUpgrade(["sno1", "sno2"]),
      Object.fromEntries(states.map(([cluster, { state }]) => [cluster, state])),
    );
    const upgrade = plannedUpgrade(cgu);
    if (!upgrade) throw new Error("it is not planned");
    const sources = { ...noWindows, windows: [aWindow("night")] };
    const now = new Date(`2026-03-01T${at}:00Z`);
    const reported = (from: typeof sources) =>
      heldBackBy(cgu, upgrade, new Map(Object.entries(records)), from, now)("sno1");
    expect(reported(sources)).toBe(why);
    expect(reported({ ...sources, windows: [] })).toBeUndefined();
  });
});
