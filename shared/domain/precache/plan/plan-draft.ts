import { type Issue, issueObject } from "../../issues/issue.ts";
import type { Condition } from "../../kubernetes/conditions.ts";
import type { PlannedCluster, PrecachePlan } from "../model/precache-plan.ts";
import { emptySpec, type PrecachingSpec } from "../model/precaching-spec.ts";
import { namespaceOf, type UpgradeSpec } from "../model/upgrade-spec.ts";
import type { PlanInput, PlanOptions } from "./plan-input.ts";

/** A plan, and what does not stand in it. */
export type PlanResult = Readonly<{
  plan: PrecachePlan;
  /** The workload image that was asked for instead of the usual one; empty for none. */
  preCacheImage: string;
}>;

/** The state of one planning: what was found so far. */
export type Draft = Readonly<{
  input: PlanInput;
  options: PlanOptions;
  upgrade: UpgradeSpec;
  conditions: readonly Condition[];
  issues: readonly Issue[];
  clusters: readonly PlannedCluster[];
}>;

/** Ends a planning: what was found is the answer. */
export function finish(
  { input, conditions, issues, clusters }: Draft,
  spec: PrecachingSpec = emptySpec,
  preCacheImage = "",
): PlanResult {
  const { name } = input.cgu.metadata;
  return {
    plan: { namespace: namespaceOf(input.cgu), name, spec, conditions, clusters, issues },
    preCacheImage,
  };
}

/** The draft with a condition that is not met: clusters that would be pre-cached wait for what it tells. */
export function hold(draft: Draft, failed: Condition): Draft {
  const reason = `Nothing is pre-cached until the condition ${failed.type} is True.`;
  return {
    ...draft,
    conditions: [...draft.conditions, failed],
    clusters: draft.clusters.map((cluster) =>
      cluster.action === "precache" ? { ...cluster, action: "wait", reason } : cluster,
    ),
  };
}

/** Ends a planning with a condition that is not met, told as an issue of the ClusterGroupUpgrade as well. */
export function refuse(
  draft: Draft,
  failed: Condition,
  issue: Pick<Issue, "code" | "path" | "value" | "remedy">,
): PlanResult {
  const told: Issue = {
    ...issue,
    severity: "error",
    object: issueObject(draft.input.cgu),
    message: failed.message.trim(),
  };
  return finish(hold({ ...draft, issues: [...draft.issues, told] }, failed));
}

/** Ends a planning where TALM's reconcile fails: it writes no condition at all, and tries again for ever. */
export function fails(draft: Draft, message: string): PlanResult {
  const told: Issue = {
    code: "TalmFails",
    severity: "error",
    object: issueObject(draft.input.cgu),
    path: "spec.managedPolicies",
    value: draft.upgrade.managedPolicies,
    message: `TALM fails here without a condition, again and again: ${message}.`,
    remedy: "Correct the managed policies, those that every cluster complies with included.",
  };
  const clusters = draft.clusters.map((cluster) =>
    cluster.action === "precache"
      ? {
          ...cluster,
          action: "wait" as const,
          reason: "Nothing is pre-cached until TALM's reconcile succeeds.",
        }
      : cluster,
  );
  return finish({ ...draft, conditions: [], clusters, issues: [...draft.issues, told] });
}
