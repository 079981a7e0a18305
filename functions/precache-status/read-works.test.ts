import { describe, expect, test } from "vitest";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import {
  asReadFor,
  conditionIn,
  failed,
  later,
  named,
  pulling,
  settled,
  statesIn,
  succeeded,
  workWith,
  writesOf,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

describe("messages about ends", () => {
  const cgu = aStoredUpgrade(["sno1", "sno2"]);
  const works = [workWith(pulling, cgu), workWith(pulling, cgu, { cluster: "sno2" })];
  const hub = (): Snapshot => settled(cgu, works);

  test("When an end was read, it should be recorded, and the other clusters stay as they are", () => {
    const plan = decide(asReadFor(hub(), { sno1: workWith(succeeded, cgu) }));
    expect(conditionIn(plan)).toBe(
      "PrecachingSuceeded False InProgress Precaching in progress for 1 clusters",
    );
    expect(statesIn(plan)).toEqual({ sno1: "Succeeded", sno2: "Active" });
    expect(named(plan)).toEqual(["sno1"]);
  });

  test("When a slot becomes free, the next cluster should start with the same write", () => {
    const three = aStoredUpgrade(["sno1", "sno2", "sno3"], { maxConcurrency: 2 });
    const before = settled(three, [workWith(pulling, three), workWith(pulling, three, { cluster: "sno2" })]);
    const plan = decide(asReadFor(before, { sno2: workWith(failed, three, { cluster: "sno2" }) }));
    expect(statesIn(plan)).toEqual({ sno1: "Active", sno2: "UnrecoverableError", sno3: "PreparingToStart" });
    expect(named(plan)).toEqual(["sno3"]);
  });

  test("When a message says what was not read, nothing should change", () => {
    expect(writesOf(decide(asReadFor(hub(), {})))).toEqual([]);
    expect(writesOf(decide(asReadFor(hub(), { sno1: workWith(pulling, cgu) })))).toEqual([]);
    expect(writesOf(decide(asReadFor(hub(), { forged: workWith(succeeded, cgu) })))).toEqual([]);
  });

  test("When a deadline passes, only clusters that were read should end", () => {
    const late = { ...hub(), now: later(240 * 60 + 120) };
    const read = { sno1: workWith(pulling, cgu) };
    expect(decide(asReadFor(late, {})).guard).toBeUndefined();
    expect(statesIn(decide(asReadFor(late, read)))).toEqual({ sno1: "PrecacheTimeout", sno2: "Active" });
    expect(statesIn(decide(late))).toEqual({ sno1: "PrecacheTimeout", sno2: "PrecacheTimeout" });
  });

  test("When works could not be read, it should pass them on, so that their messages are delivered again", () => {
    const unread = [{ part: "sno1", error: new Error("503") }];
    expect(decide({ ...hub(), unread }).unread).toBe(unread);
  });
});
