import { flagIssues } from "../issues/annotations.ts";
import { fieldIssue, fieldWarning, type Issue } from "../issues/issue.ts";
import { fieldsOf, isRecord } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../precache-model/conditions.ts";
import { readUpgradeSpec, talmFinalizer } from "../precache-model/upgrade-spec.ts";
import { sentence } from "../text/redact.ts";

/** Annotation of a ClusterGroupUpgrade: `"true"` requests that hubrelay pre-caches its images, even if TALM runs. */
export const precachingAnnotation = "hubrelay.dev/precaching";

/** Returns an error if `precachingAnnotation` has an invalid value. The annotation then counts as absent. */
export function precachingRequestIssues(cgu: KubernetesObject): readonly Issue[] {
  return flagIssues(cgu, precachingAnnotation);
}

/** Name of TALM's Lease for leader election. The namespace of the Lease varies. */
export const talmLeaseName = "9a2365a3.openshift.io";
/** A running TALM renews its Lease every few seconds; a Lease without a renewal in this time is a leftover. */
const leaseMinutes = 10;

/**
 * The program that pre-caches a ClusterGroupUpgrade, and the reason. `isTalmSeen` is true if TALM runs: TALM then
 * writes the conditions about clusters and policies.
 */
export type PrecachingOwner = Readonly<{
  by: "hubrelay" | "talm" | "nobody";
  isTalmSeen: boolean;
  reason: string;
  issues: readonly Issue[];
}>;

function isRenewed({ spec }: KubernetesObject, now: Date): boolean {
  const { renewTime, holderIdentity } = fieldsOf(spec);
  if (typeof renewTime !== "string" || typeof holderIdentity !== "string" || holderIdentity === "")
    return false;
  return now.getTime() - Date.parse(renewTime) < leaseMinutes * 60_000;
}

function evidenceOfTalm(
  { metadata }: KubernetesObject,
  leases: readonly KubernetesObject[],
  now: Date,
): string | undefined {
  const renewed = leases.find((lease) => isRenewed(lease, now));
  if (renewed)
    return sentence`TALM renews its Lease/${renewed.metadata.namespace ?? ""}/${renewed.metadata.name}.`;
  // A single replica of TALM may run without a Lease; its finalizer on the object then shows that it runs.
  return leases.length === 0 && metadata.finalizers?.includes(talmFinalizer)
    ? `TALM has put its finalizer ${talmFinalizer} on the object.`
    : undefined;
}

/** Reports whether a ClusterGroupUpgrade requests pre-caching, from TALM or from hubrelay. */
export function asksForPrecaching(cgu: KubernetesObject): boolean {
  return readUpgradeSpec(cgu).preCaching || cgu.metadata.annotations?.[precachingAnnotation] === "true";
}

/**
 * Returns the program that pre-caches a ClusterGroupUpgrade. If TALM runs, hubrelay pre-caches only upgrades with
 * `precachingAnnotation` and without `preCaching: true`.
 */
export function precachingOwner(
  cgu: KubernetesObject,
  leases: readonly KubernetesObject[],
  now: Date,
): PrecachingOwner {
  const { preCaching } = readUpgradeSpec(cgu);
  const isAnnotated = cgu.metadata.annotations?.[precachingAnnotation] === "true";
  const evidence = evidenceOfTalm(cgu, leases, now);
  const isTalmSeen = evidence !== undefined;
  const owner = (by: PrecachingOwner["by"], reason: string, issues: readonly Issue[] = []) => ({
    by,
    isTalmSeen,
    reason,
    issues,
  });
  if (!preCaching && !isAnnotated)
    return owner("nobody", "The ClusterGroupUpgrade does not request pre-caching.");
  if (!evidence) return owner("hubrelay", "TALM was not found on this hub.");
  if (!isAnnotated) return owner("talm", evidence);
  if (!preCaching)
    return owner(
      "hubrelay",
      sentence`The annotation ${precachingAnnotation} requests it, alongside TALM. ${evidence}`,
    );
  return owner("talm", evidence, [
    fieldIssue(cgu, "spec.preCaching", true, {
      code: "PreCachingByBoth",
      message: sentence`TALM pre-caches this object, and the annotation ${precachingAnnotation} requests it from hubrelay as well. ${evidence}`,
      remedy: "Set spec.preCaching to false to have hubrelay do it, or remove the annotation.",
    }),
  ]);
}

/**
 * Returns a warning if TALM's rollout started before pre-caching, because `spec.enable` was true from the start: TALM
 * waits for pre-caching only once hubrelay has written `status.precaching`.
 */
export function rolloutAhead(cgu: KubernetesObject): readonly Issue[] {
  const { status, metadata } = cgu;
  const isAsked = metadata.annotations?.[precachingAnnotation] === "true" && !readUpgradeSpec(cgu).preCaching;
  const isRolledOut =
    storedCondition(storedConditions(status), conditionTypes.progressing)?.status === "True";
  const isPrecached = isRecord(status) && isRecord(status.precaching);
  if (!isAsked || !isRolledOut || isPrecached) return [];
  return [
    fieldWarning(cgu, "spec.enable", true, {
      code: "RolloutBeforePrecaching",
      message: "The rollout began before pre-caching; nothing is pre-cached for it any more.",
      remedy: "Create the object with spec.enable false, and set it to true once pre-caching is done.",
    }),
  ];
}
