import { fieldIssue, type Issue } from "../issues/issue.ts";
import type { Condition } from "../kubernetes/conditions.ts";
import { namespaceOf } from "../kubernetes/object.ts";
import type { PlannedCluster, PrecachePlan } from "../precache-model/precache-plan.ts";
import { emptySpec, type PrecachingSpec } from "../precache-model/precaching-spec.ts";
import type { UpgradeSpec } from "../precache-model/upgrade-spec.ts";
import { sentence } from "../text/redact.ts";
import type { PlanInput, PlanOptions } from "./plan-input.ts";

/** The plan of one ClusterGroupUpgrade. */
export type PlanResult = Readonly<{
  plan: PrecachePlan;
  /** The workload image that the plan's input requests; empty if no image is requested. */
  preCacheImage: string;
}>;

/** What planning of one ClusterGroupUpgrade has found so far. */
export type Draft = Readonly<{
  input: PlanInput;
  options: PlanOptions;
  upgrade: UpgradeSpec;
  conditions: readonly Condition[];
  issues: readonly Issue[];
  clusters: readonly PlannedCluster[];
}>;

/** Returns the plan with all that planning has found so far. */
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

/** Returns the draft with a failed condition. Its clusters with the action `precache` now wait. */
export function hold(draft: Draft, failed: Condition): Draft {
  const reason = sentence`Nothing is pre-cached until the condition ${failed.type} is True.`;
  return {
    ...draft,
    conditions: [...draft.conditions, failed],
    clusters: draft.clusters.map((cluster) =>
      cluster.action === "precache" ? { ...cluster, action: "wait", reason } : cluster,
    ),
  };
}

/** Returns the plan without content, with a failed condition and an issue about the field that caused the failure. */
export function refuse(
  draft: Draft,
  failed: Condition,
  { code, path, value, remedy }: Pick<Issue, "code" | "path" | "value" | "remedy">,
): PlanResult {
  const message = failed.message.trim();
  const reported = fieldIssue(draft.input.cgu, path, value, { code, message, remedy });
  return finish(hold({ ...draft, issues: [...draft.issues, reported] }, failed));
}
