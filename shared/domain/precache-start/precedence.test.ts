import fc from "fast-check";
import { expect, test } from "vitest";
import { isFinalState, isRunningState, stateNames } from "../precache-model/cluster-state.ts";
import { type Contender, highestPrecedence, waitingReason, waitsFor } from "./precedence.ts";

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
  const turn = highestPrecedence(contenders);
  expect([turn?.name, turn?.namespace]).toContain(first);
});

test("When all are done, none should go first", () => {
  expect(highestPrecedence([{ ...older, state: "Succeeded" }])).toBeUndefined();
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
