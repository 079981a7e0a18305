import { fieldsOf, isSameJson, isStringList } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { outcomesAnnotation } from "#shared/domain/plan/kept-outcomes.ts";
import { type Decision, emptyPlan, type Plan } from "#shared/domain/plan/plan.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
  withUpgradeCondition,
} from "#shared/domain/precache-model/conditions.ts";
import { withStates } from "#shared/domain/precache-model/planned-upgrade.ts";
import { notDone } from "#shared/domain/precache-plan/plan-conditions.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import type { Snapshot } from "./observe.ts";
import { isBeingDeleted, maxRemovals, removal } from "./removals.ts";

function cleanUp(subject: string, { works = [], reports, now }: Snapshot): Plan {
  const left = [...works.filter((work) => !isBeingDeleted(work)), ...reports];
  const actions = left
    .slice(0, maxRemovals)
    .map((object) => removal(object, "belongs to no planned upgrade"));
  const again = left.length > actions.length ? { requeueAt: new Date(now.getTime() + 1_000) } : {};
  const decisions: Decision[] =
    left.length > 0
      ? [
          {
            subject,
            verdict: "cleared",
            reason: sentence`${counted(left.length, "object")} ${left.length === 1 ? "belongs" : "belong"} to no planned upgrade`,
          },
        ]
      : [];
  return { ...emptyPlan, decisions, actions, ...again };
}

/** The write removes the states of clusters, so that a cluster starts again when it returns to the plan. */
function withoutClusters(
  subject: string,
  cgu: KubernetesObject,
  { reports, now }: Snapshot,
): Pick<Plan, "decisions" | "guard"> {
  const conditions = storedConditions(cgu.status);
  const precaching = fieldsOf(fieldsOf(cgu.status).precaching);
  if (!isStringList(precaching.clusters) || precaching.clusters.length > 0) return { decisions: [] };
  const isValid = storedCondition(conditions, conditionTypes.precacheSpecValid)?.status === "True";
  // Without outcomes and reports, the status is TALM's. hubrelay must not change it.
  const isNew =
    isValid &&
    cgu.metadata.annotations?.[outcomesAnnotation] !== undefined &&
    !storedCondition(conditions, notDone.type);
  const isLeft = reports.length > 0 && !isSameJson(precaching.status ?? {}, {});
  if (!isNew && !isLeft) return { decisions: [] };
  const object = withStates(cgu, {}, isNew ? withUpgradeCondition(conditions, notDone, now) : conditions);
  const reason = isNew ? notDone.message : "no cluster is planned";
  const decisions = [{ subject, verdict: notDone.reason, reason }];
  return { decisions, guard: { verb: "update-status", object, reason } };
}

/** Returns the plan for a ClusterGroupUpgrade that does not exist, is being deleted, or plans no cluster. */
export function decideUnplanned(subject: string, snapshot: Snapshot): Plan {
  const { cgu } = snapshot;
  const plan = cleanUp(subject, snapshot);
  if (!cgu || isBeingDeleted(cgu)) return plan;
  const { decisions, ...status } = withoutClusters(subject, cgu, snapshot);
  return { ...plan, ...status, decisions: [...decisions, ...plan.decisions] };
}
