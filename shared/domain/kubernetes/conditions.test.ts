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

const unlisted = { ...anObject(), status: { conditions: "no" } };
const moved = { lastTransitionTime: "2026-03-01T02:00:00Z" };

test.for<readonly [name: string, object: KubernetesObject, conditions: object[] | undefined]>([
  ["When the condition is missing, it should add it", anObject(other), [other, stored(moved)]],
  ["When its status changes, so should its time", anObject(stored({ status: "False" })), [stored(moved)]],
  ["When only its message changes, its time should stay", anObject(stored({ message: "" })), [stored()]],
  ["When its generation is old, it should be set", anObject(stored({ observedGeneration: 2 })), [stored()]],
  ["When it is equal, it should change nothing", anObject(stored(), other), undefined],
  ["When it has no list, it should start one", unlisted, [stored(moved)]],
])("$0", ([, object, conditions]) => {
  const changed = withCondition(object, failed, now);
  expect(changed?.status).toEqual(conditions && { conditions });
});
