import { fieldsOf, isRecord, isSameJson, ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject, ObjectMeta } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import type { Action } from "./plan.ts";

function ownersOf(present: ObjectMeta, wanted: ObjectMeta): ObjectMeta["ownerReferences"] {
  const isOwned = (wanted.ownerReferences ?? []).every(({ uid }) =>
    present.ownerReferences?.some((owner) => owner.uid === uid),
  );
  return isOwned ? present.ownerReferences : wanted.ownerReferences;
}

/** Returns `wanted` plus the metadata and top-level fields that other programs have set in the present object. */
export function mergeInto(present: KubernetesObject | undefined, wanted: KubernetesObject): KubernetesObject {
  if (!present) return wanted;
  const { labels, annotations } = wanted.metadata;
  const ownerReferences = ownersOf(present.metadata, wanted.metadata);
  return {
    ...present,
    ...wanted,
    metadata: {
      ...present.metadata,
      ...(labels ? { labels: { ...present.metadata.labels, ...labels } } : {}),
      ...(annotations ? { annotations: { ...present.metadata.annotations, ...annotations } } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    },
  };
}

function pathBelow(path: string, name: string): string {
  if (path === "") return name;
  return /^\w+$/.test(name) ? `${path}.${name}` : `${path}["${name}"]`;
}

/** These maps are compared field by field. All other values are compared as a whole. */
const divided: readonly string[] = [
  "",
  "metadata",
  "metadata.labels",
  "metadata.annotations",
  "spec",
  "data",
];

/** Returns the paths of the fields in which two objects differ, e.g. `spec.config`. */
export function differingPaths(present: unknown, wanted: unknown, path = ""): readonly string[] {
  if (isSameJson(present, wanted)) return [];
  if (!isRecord(wanted) || Array.isArray(present) || !divided.includes(path)) return [path];
  const before = fieldsOf(present);
  return [...new Set([...Object.keys(before), ...Object.keys(wanted)])].flatMap((name) =>
    differingPaths(ownValue(before, name), ownValue(wanted, name), pathBelow(path, name)),
  );
}

/**
 * Returns a list with the write that makes the hub's object equal to `wanted`; empty if both are already equal.
 *
 * @param wanted The whole object. Apply `mergeInto` first, to keep what other programs have set in `present`.
 * @param reason A phrase without a full stop. For an update, the paths that differ are added.
 */
export function ensureObject(
  present: KubernetesObject | undefined,
  wanted: KubernetesObject,
  reason: string,
): readonly Action[] {
  if (!present) return [{ verb: "create", object: wanted, reason }];
  const paths = differingPaths(present, wanted);
  if (paths.length === 0) return [];
  return [{ verb: "update", object: wanted, reason: sentence`${reason}; changes ${paths.join(", ")}` }];
}
