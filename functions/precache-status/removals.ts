import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Action } from "#shared/domain/plan/plan.ts";
import type { PlannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { runOf } from "#shared/domain/precache/work/work-identity.ts";

/** Removals in one reconcile: thousands would take too long. */
export const maxRemovals = 500;

export function isBeingDeleted({ metadata }: KubernetesObject): boolean {
  return "deletionTimestamp" in metadata;
}

export function removal(object: KubernetesObject, reason: string): Action {
  return { verb: "delete", object, reason, accepts: "NotFound" };
}

/** Returns the removals of ManifestWorks for earlier content: the newer run replaces them, and pulled layers stay. */
export function outdatedRemovals(
  { revision }: PlannedUpgrade,
  works: readonly KubernetesObject[],
): readonly Action[] {
  return works
    .filter((work) => !isBeingDeleted(work) && (runOf(work)?.revision ?? revision) !== revision)
    .slice(0, maxRemovals)
    .map((work) => removal(work, `revision ${revision} replaces it`));
}
