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
  test.for<Readonly<{ what: string; spec?: Fields; status?: Fields; expected: Partial<PlannedUpgrade> }>>([
    {
      what: "only what is required",
      expected: {
        name: { namespace: "ztp", name: "upgrade" },
        clusters: ["sno1", "sno2"],
        states: {},
        isOver: false,
        keepsObjects: false,
      },
    },
    {
      what: "a strategy",
      spec: { remediationStrategy: { maxConcurrency: 3, timeout: 90 } },
      expected: { maxConcurrency: 3, timeoutMinutes: 90 },
    },
    {
      what: "a strategy without numbers",
      spec: { remediationStrategy: { maxConcurrency: "3", timeout: "90" } },
      expected: { maxConcurrency: 0, timeoutMinutes: 240 },
    },
    {
      what: "a timeout that is not positive",
      spec: { remediationStrategy: { timeout: -5 } },
      expected: { timeoutMinutes: 240 },
    },
    {
      // More seconds than that are no deadline of a Pod, and far more no date.
      what: "the longest timeout",
      spec: { remediationStrategy: { timeout: Number.MAX_SAFE_INTEGER } },
      expected: { timeoutMinutes: 35_791_394 },
    },
    {
      what: "states, also of clusters that are not planned, and of another type",
      status: { precaching: { ...planned, status: { sno1: "Active", sno2: 1, sno3: "Active" } } },
      expected: { states: { sno1: "Active" } },
    },
    {
      what: "a rollout that has failed",
      status: { precaching: planned, conditions: [{ type: "Succeeded", status: "False" }] },
      expected: { isOver: true },
    },
    {
      what: "a rollout in progress",
      status: { precaching: planned, conditions: [{ type: "Progressing", status: "True" }] },
      expected: { isOver: false },
    },
    {
      what: "objects that are kept",
      spec: { actions: { afterCompletion: { deleteObjects: false } } },
      expected: { keepsObjects: true },
    },
    {
      what: "objects that are removed",
      spec: { actions: { afterCompletion: { deleteObjects: true } } },
      expected: { keepsObjects: false },
    },
  ])("When it has $what, it should be read", ({ spec = {}, status = { precaching: planned }, expected }) => {
    expect(read(spec, status)).toMatchObject(expected);
    expect(read(spec, status)?.states).toEqual(expected.states ?? {});
  });
});
