import { describe, expect, test } from "vitest";
import { anUpgrade } from "../../../test/support/precache/precache-plan-objects.ts";
import { type PlannedUpgrade, plannedUpgrade } from "./planned-upgrade.ts";

type Fields = Readonly<Record<string, unknown>>;
const planned = { clusters: ["sno1", "sno2"] };
const read = (spec: Fields, status: unknown) => plannedUpgrade({ ...anUpgrade(spec), status });

test.for<readonly [string, unknown]>([
  ["no status", undefined],
  ["a status of TALM, without clusters", { precaching: { spec: {}, status: { sno1: "Active" } } }],
  ["no cluster in its plan", { precaching: { clusters: [] } }],
  ["clusters of another type", { precaching: { clusters: "sno1" } }],
  ["a cluster of another type", { precaching: { clusters: ["sno1", 2] } }],
])("When an upgrade has %s, it should count as not planned", ([, status]) => {
  expect(read({}, status)).toBeUndefined();
});

describe("a planned upgrade", () => {
  const strategy = (remediationStrategy: object) => ({ remediationStrategy });
  const deleting = (deleteObjects: boolean) => ({ actions: { afterCompletion: { deleteObjects } } });
  const ended = (type: string, status: string) => ({ precaching: planned, conditions: [{ type, status }] });
  const states = { precaching: { ...planned, status: { sno1: "Active", sno2: 1, sno3: "Active" } } };
  const name = { namespace: "ztp", name: "upgrade" };
  const bare = { name, clusters: ["sno1", "sno2"], states: {}, isOver: false, keepsObjects: false };
  // More seconds than that are no deadline of a Pod, and far more no date.
  const longest = { timeoutMinutes: 35_791_394 };
  const texts = strategy({ maxConcurrency: "3", timeout: "90" });

  test.for<readonly [what: string, spec: Fields, expected: Partial<PlannedUpgrade>, status?: Fields]>([
    ["only what is required", {}, bare],
    ["a strategy", strategy({ maxConcurrency: 3, timeout: 90 }), { maxConcurrency: 3, timeoutMinutes: 90 }],
    ["a strategy without numbers", texts, { maxConcurrency: 0, timeoutMinutes: 240 }],
    ["a timeout that is not positive", strategy({ timeout: -5 }), { timeoutMinutes: 240 }],
    ["the longest timeout", strategy({ timeout: Number.MAX_SAFE_INTEGER }), longest],
    ["states, also of other clusters and types", {}, { states: { sno1: "Active" } }, states],
    ["a rollout that has failed", {}, { isOver: true }, ended("Succeeded", "False")],
    ["a rollout in progress", {}, { isOver: false }, ended("Progressing", "True")],
    ["objects that are kept", deleting(false), { keepsObjects: true }],
    ["objects that are removed", deleting(true), { keepsObjects: false }],
  ])("When it has $0, it should be read", ([, spec, expected, status = { precaching: planned }]) => {
    expect(read(spec, status)).toMatchObject(expected);
    expect(read(spec, status)?.states).toEqual(expected.states ?? {});
  });
});
