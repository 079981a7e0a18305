import fc from "fast-check";
import { expect, test } from "vitest";
import { aStoredUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isFinalState, isRunningState, stateNames } from "../precache-model/cluster-state.ts";
import { type Contender, earlierUpgrade, runningRival, waitingReason, waitsFor } from "./start-obstacle.ts";

const early = "2026-03-01T02:00:00Z";
const late = "2026-03-01T03:00:00Z";
const older: Contender = { namespace: "lab", name: "older", creationTimestamp: early, state: undefined };
const younger: Contender = { namespace: "lab", name: "younger", creationTimestamp: late, state: undefined };

const sameSecond = { ...older, creationTimestamp: late, name: "zeta" };

test.for<readonly [what: string, contenders: readonly Contender[], first: string]>([
  ["neither has started", [younger, older], "older"],
  ["the younger has started", [older, { ...younger, state: "Active" }], "younger"],
  ["the older is done", [{ ...older, state: "Succeeded" }, younger], "younger"],
  ["the older has failed", [{ ...older, state: "UnrecoverableError" }, younger], "younger"],
  ["they were created in the same second", [younger, sameSecond], "younger"],
  ["they also have the same name", [younger, { ...younger, namespace: "edge" }], "edge"],
])("When $0, $2 should go first", ([, contenders, first]) => {
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
  ...aStoredUpgrade([], { name: "other" }),
  status: { precaching },
});

const inState = (cluster: string, state: string) => ({ clusters: [cluster], status: { [cluster]: state } });

test.for<readonly [what: string, precaching: unknown, goesFirst: boolean, runs: boolean]>([
  ["plans it", { clusters: ["sno1"] }, true, false],
  ["runs on it", inState("sno1", "Active"), true, true],
  ["is TALM's and runs on it", { status: { sno1: "Starting" } }, true, true],
  ["is done with it", inState("sno1", "Succeeded"), false, false],
  ["is about other clusters", inState("sno2", "Active"), false, false],
  ["has no pre-caching", undefined, false, false],
  ["has fields of other types", { clusters: "sno1", status: { sno1: 1 } }, false, false],
  ["has no map of states", { status: "sno1" }, false, false],
])("When another upgrade $0, going first should be $2, and running $3", ([, precaching, goesFirst, runs]) => {
  const others = [other(precaching)];
  const self = aStoredUpgrade([], { name: "self" });
  expect(earlierUpgrade(self, "sno1", others)?.name).toBe(goesFirst ? "other" : undefined);
  expect(runningRival("sno1", others)?.name).toBe(runs ? "other" : undefined);
});
