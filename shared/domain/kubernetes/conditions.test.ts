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

const moved = { lastTransitionTime: "2026-03-01T02:00:00Z" };

test.for<readonly [name: string, object: KubernetesObject, conditions: object[] | undefined]>([
  ["When the condition is missing, it should add it", anObject(other), [other, stored(moved)]],
  [
    "When its status changes, it should move the time",
    anObject(stored({ status: "False" })),
    [stored(moved)],
  ],
  ["When only its message changes, it should keep it", anObject(stored({ message: "" })), [stored()]],
  [
    "When its generation is older, it should be the current",
    anObject(stored({ observedGeneration: 2 })),
    [stored()],
  ],
  ["When it is equal, it should change nothing", anObject(stored(), other), undefined],
  [
    "When there is no list, it should start one",
    { ...anObject(), status: { conditions: "no" } },
    [stored(moved)],
  ],
])("$0", ([, object, conditions]) => {
  const changed = withCondition(object, failed, now);
  expect(changed?.status).toEqual(conditions && { conditions });
});
