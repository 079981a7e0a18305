import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import type { Records } from "#shared/domain/precache-model/cluster-record.ts";
import type { PlannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { checkRunOf, runOf } from "#shared/domain/precache-model/work-identity.ts";
import { checkRunDeadline } from "#shared/domain/precache-progress/cluster-check.ts";
import { sentence } from "#shared/domain/text/redact.ts";

/** The maximum number of removals in one reconcile, so that the reconcile ends in time. */
export const maxRemovals = 500;

export function isBeingDeleted({ metadata }: KubernetesObject): boolean {
  return "deletionTimestamp" in metadata;
}

export function removal(object: KubernetesObject, reason: string): Action {
  return { verb: "delete", object, reason, accepts: "NotFound" };
}

/** Returns removals of ManifestWorks whose revision, check, run or attempt is over. */
export function outdatedRemovals(
  { revision }: PlannedUpgrade,
  works: readonly KubernetesObject[],
  records: Records,
  now: Date,
): readonly Action[] {
  const latestAttempts = new Map<string, number>();
  for (const work of works) {
    const { namespace = "" } = work.metadata;
    const run = runOf(work);
    if (run?.revision === revision && run.attempt === records.get(namespace)?.attempt)
      latestAttempts.set(namespace, run.attempt);
  }
  const reasonFor = (work: KubernetesObject): string | undefined => {
    const check = checkRunOf(work);
    const run = check ?? runOf(work);
    if (isBeingDeleted(work) || !run) return undefined;
    if (run.revision !== revision) return sentence`revision ${revision} replaces it`;
    if (check) return now >= checkRunDeadline(check) ? "its check is over" : undefined;
    const record = records.get(work.metadata.namespace ?? "");
    if (record?.state === "Succeeded" && record.check) return "its run is over";
    // Until the ManifestWork of a retry exists, the ManifestWork of the previous attempt shows why this attempt failed.
    const latest = latestAttempts.get(work.metadata.namespace ?? "") ?? 0;
    return "attempt" in run && run.attempt < latest ? "a retry replaces it" : undefined;
  };
  return works
    .flatMap((work) => {
      const reason = reasonFor(work);
      return reason === undefined ? [] : [removal(work, reason)];
    })
    .slice(0, maxRemovals);
}
