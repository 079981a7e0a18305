import { fieldsOf, isRecord, ownValue } from "#shared/domain/json/values.ts";
import { namespacedKind } from "#shared/domain/kubernetes/object.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** What hubrelay needs at least; docs/deploy-kubernetes.md has the same. */
export const minimumVersions = {
  /** The first with ValidatingAdmissionPolicies of version v1. */
  kubernetes: "1.30",
  /** The release with that Kubernetes is 4.17. */
  openShift: "4.17",
  /** The first whose fallback may keep the number of pods. */
  keda: "2.17",
  /** The version of the module open-cluster-management.io/api: feedback, conditions and deletion of ManifestWorks. */
  ocm: "1.0.0",
} as const;

/** Returns the part of a kind's OpenAPI schema at a path of fields, through lists; undefined when there is none. */
export function fieldOf(schema: unknown, path: string): unknown {
  return path.split(".").reduce((at: unknown, name) => {
    const { items } = fieldsOf(at);
    const { properties } = isRecord(items) ? items : fieldsOf(at);
    return isRecord(properties) ? ownValue(properties, name) : undefined;
  }, schema);
}

/** Scales the functions' pods by the length of their queues. */
export const scaledObject = namespacedKind("keda.sh/v1alpha1", "ScaledObject");

const minorOf = (version: string) => Number(/^v?1\.(\d+)/.exec(version)?.[1]);

/** Checks that the hub's Kubernetes has the admission policies that restrict hubrelay's accounts. */
export function kubernetesCheck(version: string, connected: string): Check {
  const { kubernetes, openShift } = minimumVersions;
  if (!(minorOf(version) < minorOf(kubernetes))) return ok("hub", connected);
  const remedy = `Update the hub: hubrelay's admission policies need Kubernetes ${kubernetes}, which is OpenShift ${openShift}.`;
  return problem("hub", connected, remedy);
}

/**
 * Checks by its OpenAPI schema that KEDA has the field that keeps the number of pods while the queue's length is unknown.
 * An older one is a note: only the overlays with pods use it.
 */
export function kedaCheck(schema: unknown): Check {
  const title = "KEDA";
  const fallback = fieldOf(schema, "spec.fallback");
  if (!isRecord(fallback))
    return note(
      title,
      "The hub does not publish the schema of ScaledObject.",
      "Nothing to do; it was not checked.",
    );
  if (isRecord(fieldOf(fallback, "behavior")))
    return ok(title, "Its ScaledObjects have spec.fallback.behavior.");
  return note(
    title,
    `Its ScaledObjects lack spec.fallback.behavior: it is older than ${minimumVersions.keda}.`,
    `Nothing to do where functions run on Lambda. For pods update KEDA, or do not apply the folder keda of the overlay.`,
  );
}
