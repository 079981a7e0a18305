import { isRecord } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { policyObjects } from "./policy-objects.ts";

/*
 * TALM's controller takes for granted what no schema demands of a policy. Where it is missing the reconcile panics: no
 * condition is written, and it is tried again for ever.
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
    const read = policyObjects(spec);
    return read.ok && read.objects.some(isFatal);
  });
}

/** What TALM does not survive when it looks at the order of policies, as a sentence. */
export function crashAtDependencies(present: readonly KubernetesObject[]): string | undefined {
  const found = present.find(({ spec }) => {
    const dependencies: unknown = isRecord(spec) ? spec.dependencies : undefined;
    const list: readonly unknown[] = Array.isArray(dependencies) ? dependencies : [];
    return list.some((one) => isRecord(one) && isAbsent(one.namespace));
  });
  return found && `${nameOf(found)} has a dependency without a namespace`;
}

/** TALM notes by name the Subscriptions that it will watch; a raw template leaves null where the name was. */
function isUnnamed({ kind, apiVersion, metadata }: Readonly<Record<string, unknown>>): boolean {
  if (kind !== "Subscription" || isAbsent(metadata)) return false;
  if (!isRecord(metadata)) return true;
  if (!("name" in metadata) || !("namespace" in metadata)) return false;
  return [apiVersion, metadata.name, metadata.namespace].some((value) => typeof value !== "string");
}

/** What TALM does not survive when it notes what to watch later, as a sentence. */
export function crashAtSubscriptions(present: readonly KubernetesObject[]): string | undefined {
  const found = firstWith(present, isUnnamed);
  return found && `${nameOf(found)} has a Subscription whose apiVersion, name or namespace is no text`;
}

/** What TALM does not survive when it collects what all policies install, as a sentence. */
export function crashAtSoftware(policies: readonly KubernetesObject[]): string | undefined {
  const found = firstWith(
    policies,
    ({ kind, spec }) => (kind === "Subscription" || kind === "CatalogSource") && !isRecord(spec),
  );
  return found && `${nameOf(found)} has a Subscription or a CatalogSource without spec`;
}
