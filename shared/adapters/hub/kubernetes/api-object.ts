import { isRecord } from "../../../domain/kubernetes/json/values.ts";
import type { Kind, KubernetesObject, ObjectMeta } from "../../../domain/kubernetes/object.ts";

const identity = ["namespace", "uid", "resourceVersion"] as const;

/** Checks the identity; labels, annotations and the rest have passed the API server's own schema. */
function isObjectMeta(value: unknown): value is ObjectMeta {
  if (!isRecord(value) || typeof value.name !== "string") return false;
  return identity.every((field) => value[field] === undefined || typeof value[field] === "string");
}

/**
 * Returns an object from a response; undefined for other values. Kind and version are those of the request: items in a
 * list of a built-in kind have none, and metadata alone comes as `PartialObjectMetadata`.
 */
export function asObject(value: unknown, { apiVersion, kind }: Kind): KubernetesObject | undefined {
  if (!isRecord(value) || !isObjectMeta(value.metadata)) return undefined;
  return { ...value, apiVersion, kind, metadata: value.metadata };
}
