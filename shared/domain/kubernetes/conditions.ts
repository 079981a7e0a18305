import { fieldsOf, objectsOf } from "./json/values.ts";
import { type KubernetesObject, timestamp } from "./object.ts";

/** One entry of `status.conditions`, as metav1.Condition defines it. */
export type Condition = Readonly<{
  type: string;
  status: "True" | "False" | "Unknown";
  /** A word in CamelCase. */
  reason: string;
  message: string;
}>;

/** The schema of `status.conditions` in a CustomResourceDefinition. */
export const conditionsDefinition = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status", "lastTransitionTime", "reason", "message"],
    properties: {
      type: { type: "string" },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      observedGeneration: { type: "integer", format: "int64" },
      lastTransitionTime: { type: "string", format: "date-time" },
      reason: { type: "string" },
      message: { type: "string" },
    },
  },
};

type StoredCondition = Readonly<Record<string, unknown>>;

function conditionsOf({ status }: KubernetesObject): readonly StoredCondition[] {
  const { conditions } = fieldsOf(status);
  return objectsOf(conditions);
}

/** Returns the condition of this type, if the object has one. */
export function conditionOf(object: KubernetesObject, type: string): StoredCondition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/**
 * Returns the object with this condition in its status; undefined if it has the condition already.
 * `lastTransitionTime` changes only with the condition's status, as the Kubernetes API conventions require.
 */
export function withCondition(
  object: KubernetesObject,
  { type, status, reason, message }: Condition,
  now: Date,
): KubernetesObject | undefined {
  const present = conditionOf(object, type);
  const { generation } = object.metadata;
  const isSame =
    present?.status === status &&
    present.reason === reason &&
    present.message === message &&
    (generation === undefined || present.observedGeneration === generation);
  if (isSame) return undefined;
  const lastTransitionTime = present?.status === status ? present.lastTransitionTime : timestamp(now);
  const condition = {
    type,
    status,
    reason,
    message,
    lastTransitionTime,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const others = conditionsOf(object).filter((entry) => entry.type !== type);
  return { ...object, status: { ...fieldsOf(object.status), conditions: [...others, condition] } };
}
