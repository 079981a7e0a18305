import type { Condition } from "../kubernetes/conditions.ts";
import { fieldsOf, objectsOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import { timestamp } from "../kubernetes/object.ts";

/** The condition types of a ClusterGroupUpgrade, in the order in which a status gets them. The spelling is TALM's. */
export const conditionTypes = {
  clustersSelected: "ClustersSelected",
  validated: "Validated",
  precacheSpecValid: "PrecacheSpecValid",
  imagesReady: "PrecacheImagesReady",
  precachingSucceeded: "PrecachingSuceeded",
  progressing: "Progressing",
  succeeded: "Succeeded",
} as const;

/** A stored condition with all its fields, even fields that hubrelay does not know. */
export type StoredCondition = UnknownRecord;

/** Returns the stored conditions of a ClusterGroupUpgrade, in their order. */
export function storedConditions(status: unknown): readonly StoredCondition[] {
  return objectsOf(fieldsOf(status).conditions);
}

/** Returns the stored condition of this type; undefined if there is none. */
export function storedCondition(
  conditions: readonly StoredCondition[],
  type: string,
): StoredCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/**
 * Returns the conditions with one condition set. As in TALM, a condition with a new status moves to the end, and any
 * other keeps its position and time: `oc get cgu` shows the last condition.
 */
export function withUpgradeCondition(
  conditions: readonly StoredCondition[],
  { type, status, reason, message }: Condition,
  now: Date,
): readonly StoredCondition[] {
  const present = storedCondition(conditions, type);
  if (present?.status === status) {
    if (present.reason === reason && present.message === message) return conditions;
    return conditions.map((one) => (one === present ? { ...one, reason, message } : one));
  }
  const lastTransitionTime = timestamp(now);
  const others = conditions.filter((one) => one !== present);
  return [...others, { ...present, type, status, reason, message, lastTransitionTime }];
}
