import { expect, test } from "vitest";
import { revisionStep } from "./revision-rule.ts";

test.for([
  { revision: undefined, state: undefined, wanted: "b", step: "start" },
  { revision: "a", state: "NotStarted", wanted: "b", step: "start" },
  { revision: "a", state: "Active", wanted: "a", step: "keep" },
  { revision: "a", state: "Succeeded", wanted: "a", step: "keep" },
  { revision: "a", state: "UnrecoverableError", wanted: "a", step: "keep" },
  { revision: "a", state: "PreparingToStart", wanted: "b", step: "replace" },
  { revision: "a", state: "Active", wanted: "b", step: "replace" },
  { revision: "a", state: "Succeeded", wanted: "b", step: "start" },
  { revision: "a", state: "PrecacheTimeout", wanted: "b", step: "start" },
  { revision: "a", state: "Active", wanted: undefined, step: "hold" },
  { revision: undefined, state: undefined, wanted: undefined, step: "hold" },
] as const)("When $revision is $state and $wanted is planned, the step should be $step", (given) => {
  expect(revisionStep(given, given.wanted)).toBe(given.step);
});
