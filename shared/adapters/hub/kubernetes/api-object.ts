import { isRecord } from "../../../domain/json/values.ts";
import type { Kind } from "../../../domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectMeta } from "../../../domain/kubernetes/object.ts";

const identity = ["namespace", "uid", "resourceVersion"] as const;

/** Identity is checked; labels, annotations and the rest are what the API server's own schema lets through. */
function isObjectMeta(value: unknown): value is ObjectMeta {
  if (!isRecord(value) || typeof value.name !== "string") return false;
  return identity.every((field) => value[field] === undefined || typeof value[field] === "string");
}

/**
 * An object from an answer; undefined when the value is none. Kind and version are those that were asked for:
 * items of a list of a built-in kind have none, and metadata alone comes as `PartialObjectMetadata`.
 */
export function asObject(value: unknown, { apiVersion, kind }: Kind): KubernetesObject | undefined {
  if (!isRecord(value) || !isObjectMeta(value.metadata)) return undefined;
  return { ...value, apiVersion, kind, metadata: value.metadata };
}
