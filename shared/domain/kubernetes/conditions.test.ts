import { expect, test } from "vitest";
import { type Condition, withCondition } from "./conditions.ts";
import type { KubernetesObject } from "./object.ts";

const now = new Date("2026-03-01T02:00:00.123Z");
const earlier = "2026-02-01T00:00:00Z";
const failed: Condition = { type: "Failed", status: "True", reason: "InvalidScope", message: "It is wrong." };
const other = { type: "Ready", status: "True" };
const stored = (changes: object = {}) => ({
  ...failed,
  lastTransitionTime: earlier,
  observedGeneration: 3,
  ...changes,
});

const anObject = (...conditions: object[]): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterImagePolicy",
  metadata: { name: "acme", generation: 3 },
  status: { conditions },
});

test.for([
  {
    name: "When the condition is missing, it should add it",
    object: anObject(other),
    conditions: [other, stored({ lastTransitionTime: "2026-03-01T02:00:00Z" })],
  },
  {
    name: "When its status changes, it should move the transition time",
    object: anObject(stored({ status: "False" })),
    conditions: [stored({ lastTransitionTime: "2026-03-01T02:00:00Z" })],
  },
  {
    name: "When only its message changes, it should keep the transition time",
    object: anObject(stored({ message: "Old." })),
    conditions: [stored()],
  },
  {
    name: "When its generation is older, it should set the current one",
    object: anObject(stored({ observedGeneration: 2 })),
    conditions: [stored()],
  },
  {
    name: "When it is equal, it should change nothing",
    object: anObject(stored(), other),
    conditions: undefined,
  },
  {
    name: "When conditions is not a list, it should start one",
    object: { ...anObject(), status: { conditions: "no" } },
    conditions: [stored({ lastTransitionTime: "2026-03-01T02:00:00Z" })],
  },
])("$name", ({ object, conditions }) => {
  const changed = withCondition(object, failed, now);
  expect(changed?.status).toEqual(conditions && { conditions });
});
