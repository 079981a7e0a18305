import fc from "fast-check";
import { expect, test } from "vitest";
import { anUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isFinalState, isRunningState, stateNames } from "../precache-model/cluster-state.ts";
import { type Contender, earlierUpgrade, runningRival, waitingReason, waitsFor } from "./may-start.ts";

const early = "2026-03-01T02:00:00Z";
const late = "2026-03-01T03:00:00Z";
const older: Contender = { namespace: "lab", name: "older", creationTimestamp: early, state: undefined };
const younger: Contender = { namespace: "lab", name: "younger", creationTimestamp: late, state: undefined };

test.for([
  { what: "neither has started", contenders: [younger, older], first: "older" },
  { what: "the younger has started", contenders: [older, { ...younger, state: "Active" }], first: "younger" },
  { what: "the older is done", contenders: [{ ...older, state: "Succeeded" }, younger], first: "younger" },
  {
    what: "the older has failed",
    contenders: [{ ...older, state: "UnrecoverableError" }, younger],
    first: "younger",
  },
  {
    what: "they were created in the same second",
    contenders: [younger, { ...older, creationTimestamp: late, name: "zeta" }],
    first: "younger",
  },
  {
    what: "they were created in the same second with the same name",
    contenders: [younger, { ...younger, namespace: "edge" }],
    first: "edge",
  },
])("When $what, $first should go first", ({ contenders, first }) => {
  const going = contenders.filter((self) => !isFinalState(self.state) && !waitsFor(self, contenders));
  expect(going.map(({ name, namespace }) => [name, namespace])).toEqual([expect.arrayContaining([first])]);
});

test("When another goes first, it should say for whom this one waits", () => {
  const other = waitsFor(younger, [older]);
  expect(other && waitingReason(other)).toBe(
    "Waits for ClusterGroupUpgrade/lab/older, which pre-caches this cluster first.",
  );
});

test("When several want a cluster, exactly one of those that are not done should not have to wait", () => {
  const contender = fc.record({
    namespace: fc.constantFrom("a", "b"),
    name: fc.constantFrom("x", "y", "z"),
    creationTimestamp: fc.constantFrom(early, late),
    state: fc.option(fc.constantFrom(...stateNames), { nil: undefined }),
  });
  const unique = fc.uniqueArray(contender, {
    selector: ({ namespace, name }) => `${namespace}/${name}`,
    minLength: 1,
  });
  fc.assert(
    fc.property(unique, (contenders) => {
      const open = contenders.filter(({ state }) => !isFinalState(state));
      const going = open.filter((self) => waitsFor(self, contenders) === undefined);
      expect(going).toHaveLength(open.length === 0 ? 0 : 1);
      const isRunning = open.some(({ state }) => isRunningState(state));
      for (const { state } of going) expect(isRunningState(state)).toBe(isRunning);
    }),
  );
});

const other = (precaching: unknown): KubernetesObject => ({
  ...anUpgrade([], { name: "other" }),
  status: { precaching },
});

test.for<Readonly<{ what: string; precaching: unknown; goesFirst: boolean; runs: boolean }>>([
  { what: "plans it", precaching: { clusters: ["sno1"] }, goesFirst: true, runs: false },
  {
    what: "runs on it",
    precaching: { clusters: ["sno1"], status: { sno1: "Active" } },
    goesFirst: true,
    runs: true,
  },
  {
    what: "is TALM's and runs on it",
    precaching: { status: { sno1: "Starting" } },
    goesFirst: true,
    runs: true,
  },
  {
    what: "is done with it",
    precaching: { clusters: ["sno1"], status: { sno1: "Succeeded" } },
    goesFirst: false,
    runs: false,
  },
  {
    what: "is about other clusters",
    precaching: { clusters: ["sno2"], status: { sno2: "Active" } },
    goesFirst: false,
    runs: false,
  },
  { what: "has no pre-caching", precaching: undefined, goesFirst: false, runs: false },
  {
    what: "has fields of other types",
    precaching: { clusters: "sno1", status: { sno1: 1 } },
    goesFirst: false,
    runs: false,
  },
  { what: "has no map of states", precaching: { status: "sno1" }, goesFirst: false, runs: false },
])("When another upgrade $what, going first should be $goesFirst, and running $runs", (row) => {
  const others = [other(row.precaching)];
  const self = anUpgrade([], { name: "self" });
  expect(earlierUpgrade(self, "sno1", others)?.name).toBe(row.goesFirst ? "other" : undefined);
  expect(runningRival("sno1", others)?.name).toBe(row.runs ? "other" : undefined);
});
