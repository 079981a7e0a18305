import { expect, test } from "vitest";
import { type StoredCondition, withUpgradeCondition } from "./conditions.ts";

const now = new Date("2026-03-01T02:00:00.500Z");
const before = "2026-03-01T01:00:00Z";
const stored = (type: string, status: string, reason = "R", message = "m"): StoredCondition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: before,
});
const conditions = [
  stored("Validated", "True"),
  stored("PrecacheSpecValid", "False"),
  stored("Progressing", "False"),
];
const specValid = { type: "PrecacheSpecValid", reason: "R", message: "m" };

test("When the status changes, it should move to the end with the time: that is what oc get cgu shows", () => {
  const changed = withUpgradeCondition(conditions, { ...specValid, status: "True" }, now);
  expect(changed.map(({ type }) => type)).toEqual(["Validated", "Progressing", "PrecacheSpecValid"]);
  expect(changed.at(-1)).toMatchObject({ status: "True", lastTransitionTime: "2026-03-01T02:00:00Z" });
});

test.for([{ message: "other" }, { reason: "Other" }])(
  "When only %j changes, it should keep its place and its time, and the others stay",
  (change) => {
    const changed = withUpgradeCondition(conditions, { ...specValid, status: "False", ...change }, now);
    expect(changed).toEqual([conditions[0], { ...conditions[1], ...change }, conditions[2]]);
  },
);

test("When nothing changes, it should be the same list", () => {
  expect(withUpgradeCondition(conditions, { ...specValid, status: "False" }, now)).toBe(conditions);
});

test("When it is new, it should stand at the end", () => {
  const added = withUpgradeCondition(conditions, { ...specValid, type: "Succeeded", status: "True" }, now);
  expect(added.at(-1)).toMatchObject({ type: "Succeeded", lastTransitionTime: "2026-03-01T02:00:00Z" });
});
