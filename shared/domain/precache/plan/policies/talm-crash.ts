import { sentence } from "../../../credentials/redact.ts";
import { fieldsOf, isRecord, objectsOf } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { policyObjects } from "./policy-objects.ts";

/*
 * TALM's controller assumes more about a policy than its schema demands. Where an assumption fails the reconcile
 * panics: no condition is written, and it is retried forever.
 */

function nameOf({ metadata }: KubernetesObject): string {
  return `Policy/${metadata.namespace ?? ""}/${metadata.name}`;
}

const isAbsent = (value: unknown): boolean => (value ?? undefined) === undefined;

function firstWith(
  policies: readonly KubernetesObject[],
  isFatal: (object: Readonly<Record<string, unknown>>) => boolean,
): KubernetesObject | undefined {
  return policies.find(({ spec }) => {
    const read = policyObjects(spec, "talm");
    return read.ok && read.objects.some(({ object }) => isFatal(object));
  });
}

/** Returns what makes TALM panic when it checks the order of policies, as a sentence. */
export function crashAtDependencies(present: readonly KubernetesObject[]): string | undefined {
  const found = present.find(({ spec }) =>
    objectsOf(fieldsOf(spec).dependencies).some(({ namespace }) => isAbsent(namespace)),
  );
  return found && sentence`${nameOf(found)} has a dependency without a namespace`;
}

/** TALM records the names of the Subscriptions to watch; a raw template leaves null instead of the name. */
function isUnnamed({ kind, apiVersion, metadata }: Readonly<Record<string, unknown>>): boolean {
  if (kind !== "Subscription" || isAbsent(metadata)) return false;
  if (!isRecord(metadata)) return true;
  if (!("name" in metadata) || !("namespace" in metadata)) return false;
  return [apiVersion, metadata.name, metadata.namespace].some((value) => typeof value !== "string");
}

/** Returns what makes TALM panic when it records what to watch, as a sentence. */
export function crashAtSubscriptions(present: readonly KubernetesObject[]): string | undefined {
  const found = firstWith(present, isUnnamed);
  return (
    found && sentence`${nameOf(found)} has a Subscription whose apiVersion, name or namespace is not a string`
  );
}

/** Returns what makes TALM panic when it collects the software of all policies, as a sentence. */
export function crashAtSoftware(policies: readonly KubernetesObject[]): string | undefined {
  const found = firstWith(
    policies,
    ({ kind, spec }) => (kind === "Subscription" || kind === "CatalogSource") && !isRecord(spec),
  );
  return found && sentence`${nameOf(found)} has a Subscription or a CatalogSource without spec`;
}
