import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import type { KubernetesObject, ObjectMeta } from "../../kubernetes/object.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Metadata that refers to something which does not apply to a new object; its loss is reported. */
const binding: Readonly<Record<string, string>> = {
  namespace: "The kind is cluster-scoped and has no namespace.",
  generateName: "The new object keeps the name.",
  ownerReferences: "Add the owner to the new object if it should be deleted together with it.",
  finalizers: "Add it to the new object if a controller handles it there.",
  deletionTimestamp: "The old object is about to be deleted; convert it only if its mirrors must stay.",
};

function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "";
}

/** Returns a warning for each piece of metadata that is dropped although it has an effect. */
export function droppedMetadata(object: KubernetesObject): readonly Issue[] {
  const metadata = new Map<string, unknown>(Object.entries(object.metadata));
  return Object.entries(binding).flatMap(([field, remedy]): Issue[] => {
    const value = metadata.get(field);
    if (!isPresent(value)) return [];
    return [
      fieldIssue(object, `metadata.${field}`, value, {
        code: "DroppedMetadata",
        severity: "warning",
        message: sentence`metadata.${field} is not carried over`,
        remedy,
      }),
    ];
  });
}

/**
 * Returns the metadata that a new object can be created with: name, labels and annotations. Metadata that an API
 * server sets, and kubectl's copy of the old object, are dropped.
 */
export function newMetadata({ name, labels, annotations }: ObjectMeta): ObjectMeta {
  const { [lastApplied]: _, ...kept } = annotations ?? {};
  return {
    name,
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(kept).length > 0 ? { annotations: kept } : {}),
  };
}
