import fc from "fast-check";
import { expect, test } from "vitest";
import { precachingSucceeded, tallyOf } from "./roll-up.ts";

const rollUp = (states: Readonly<Record<string, string>>, planned = Object.keys(states)) =>
  precachingSucceeded(tallyOf(planned, states));

test.for([
  { states: { a: "Succeeded", b: "Succeeded" }, status: "True", reason: "PrecachingCompleted" },
  { states: { a: "Succeeded", b: "PrecacheTimeout" }, status: "True", reason: "PartiallyDone" },
  { states: { a: "UnrecoverableError", b: "PrecacheTimeout" }, status: "False", reason: "Failed" },
  { states: { a: "Active", b: "PrecacheTimeout" }, status: "False", reason: "InProgress" },
  { states: { a: "Active", b: "Starting", c: "PreparingToStart" }, status: "False", reason: "InProgress" },
])("When the states are $states, it should be $status $reason", ({ states, status, reason }) => {
  expect(rollUp(states)).toMatchObject({ type: "PrecachingSuceeded", status, reason });
});

test("When clusters wait for their slot, they should count as in progress and not as failed", () => {
  expect(rollUp({ a: "UnrecoverableError" }, ["a", "b"])).toEqual({
    type: "PrecachingSuceeded",
    status: "False",
    reason: "InProgress",
    message: "Precaching in progress for 1 clusters",
  });
});

test("When the map holds clusters of an earlier plan, they should not count", () => {
  expect(rollUp({ a: "Succeeded", old: "UnrecoverableError" }, ["a"])).toMatchObject({
    reason: "PrecachingCompleted",
  });
});

/** TALM's own roll-up, with its two defects left as they are; section 5.3 of its behaviour. */
function likeTalm(states: readonly string[]): string {
  const success = states.filter((state) => state === "Succeeded").length;
  const inProgress = states.filter((state) =>
    ["PreparingToStart", "Starting", "Active"].includes(state),
  ).length;
  const failed = states.length - success - inProgress;
  if (success === states.length) return "True PrecachingCompleted Precaching is completed for all clusters";
  if (failed === states.length) return "False Failed Precaching failed for all clusters";
  if (success + failed === states.length)
    return `True PartiallyDone Precaching failed for ${failed} clusters`;
  return `False InProgress Precaching in progress for ${inProgress} clusters`;
}

test("When every cluster has begun, it should say to the letter what TALM says", () => {
  const begun = fc.constantFrom(
    "PreparingToStart",
    "Starting",
    "Active",
    "Succeeded",
    "PrecacheTimeout",
    "UnrecoverableError",
  );
  fc.assert(
    fc.property(fc.array(begun, { minLength: 1, maxLength: 8 }), (states) => {
      const { status, reason, message } = rollUp(
        Object.fromEntries(states.map((state, index) => [`sno${index}`, state])),
      );
      expect(`${status} ${reason} ${message}`).toBe(likeTalm(states));
    }),
  );
});
