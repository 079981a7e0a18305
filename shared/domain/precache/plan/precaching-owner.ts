import { type Issue, issueObject } from "../../issues/issue.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { conditionTypes, storedCondition, storedConditions } from "../model/conditions.ts";
import { readUpgradeSpec, talmFinalizer } from "../model/upgrade-spec.ts";

/** A person sets it to `"true"` on a ClusterGroupUpgrade whose images hubrelay shall pre-cache beside TALM. */
export const precachingAnnotation = "hubrelay.dev/precaching";
/** The Lease by which TALM's replicas take turns, in whatever namespace it is installed. */
export const talmLeaseName = "9a2365a3.openshift.io";
/** TALM renews its Lease every few seconds; one that is older than this is of a TALM that is gone. */
const leaseMinutes = 10;

/**
 * Who pre-caches a ClusterGroupUpgrade, and why. `hubrelay`: this one does, and `isTalmSeen` tells whether TALM writes
 * the conditions about clusters and policies. `talm`, `nobody`: hands off.
 */
export type PrecachingOwner = Readonly<{
  by: "hubrelay" | "talm" | "nobody";
  isTalmSeen: boolean;
  reason: string;
  issues: readonly Issue[];
}>;

function isRenewed({ spec }: KubernetesObject, now: Date): boolean {
  const { renewTime, holderIdentity } = isRecord(spec) ? spec : {};
  if (typeof renewTime !== "string" || typeof holderIdentity !== "string" || holderIdentity === "")
    return false;
  return now.getTime() - Date.parse(renewTime) < leaseMinutes * 60_000;
}

/** The evidence that TALM runs, as a sentence; undefined where nothing tells so. */
function evidenceOfTalm(
  { metadata }: KubernetesObject,
  leases: readonly KubernetesObject[],
  now: Date,
): string | undefined {
  const renewed = leases.find((lease) => isRenewed(lease, now));
  if (renewed) return `TALM renews its Lease/${renewed.metadata.namespace ?? ""}/${renewed.metadata.name}.`;
  // Without a Lease TALM may still run, as a single replica: then what it leaves on the object counts.
  return leases.length === 0 && metadata.finalizers?.includes(talmFinalizer)
    ? `TALM has put its finalizer ${talmFinalizer} on the object.`
    : undefined;
}

/** True when a ClusterGroupUpgrade asks for pre-caching in either way; of others nothing needs to be read. */
export function asksForPrecaching(cgu: KubernetesObject): boolean {
  return readUpgradeSpec(cgu).preCaching || cgu.metadata.annotations?.[precachingAnnotation] === "true";
}

/**
 * Decides from the evidence who pre-caches a ClusterGroupUpgrade. Where TALM runs it takes those with `preCaching`, and
 * hubrelay those that are annotated and have `preCaching: false`, so never both. Where TALM is absent hubrelay takes
 * all that ask. `leases` are those of TALM's name, in any namespace.
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
  const answer = (by: PrecachingOwner["by"], reason: string, issues: readonly Issue[] = []) => ({
    by,
    isTalmSeen,
    reason,
    issues,
  });
  if (!preCaching && !isAnnotated)
    return answer("nobody", "The ClusterGroupUpgrade does not ask for pre-caching.");
  if (!evidence) return answer("hubrelay", "TALM was not found on this hub.");
  if (!isAnnotated) return answer("talm", evidence);
  if (!preCaching)
    return answer("hubrelay", `The annotation ${precachingAnnotation} asks for it, beside TALM. ${evidence}`);
  return answer("talm", evidence, [
    {
      code: "PreCachingByBoth",
      severity: "error",
      object: issueObject(cgu),
      path: "spec.preCaching",
      value: true,
      message: `TALM pre-caches this object, and the annotation ${precachingAnnotation} asks hubrelay to do so as well. ${evidence}`,
      remedy: "Set spec.preCaching to false to have hubrelay do it, or remove the annotation.",
    },
  ]);
}

/**
 * What is told of a rollout by TALM that has begun although pre-caching before it was asked of hubrelay: `enable` was
 * true from the start, so that TALM did not wait. Once `status.precaching` is there it waits, whatever `enable` says.
 */
export function rolloutAhead(cgu: KubernetesObject): readonly Issue[] {
  const { status, metadata } = cgu;
  const isAsked = metadata.annotations?.[precachingAnnotation] === "true" && !readUpgradeSpec(cgu).preCaching;
  const isRolledOut =
    storedCondition(storedConditions(status), conditionTypes.progressing)?.status === "True";
  const isPrecached = isRecord(status) && isRecord(status.precaching);
  if (!isAsked || !isRolledOut || isPrecached) return [];
  return [
    {
      code: "RolloutBeforePrecaching",
      severity: "warning",
      object: issueObject(cgu),
      path: "spec.enable",
      value: true,
      message: "The rollout began before pre-caching; nothing is pre-cached for it any more.",
      remedy: "Create the object with spec.enable false, and set it to true once pre-caching is done.",
    },
  ];
}
