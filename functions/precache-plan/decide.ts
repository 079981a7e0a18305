import type { Issue } from "#shared/domain/issues/issue.ts";
import { fieldsOf, isSameJson, listOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { issueEvents, planObjectEvents } from "#shared/domain/plan/object-events.ts";
import { type Action, emptyPlan, type Plan } from "#shared/domain/plan/plan.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { chosenWorkloadImage, withWorkloadImage } from "#shared/domain/precache-model/workload-image.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import type { PlanInput } from "#shared/domain/precache-plan/plan-input.ts";
import { planPrecache } from "#shared/domain/precache-plan/plan-precache.ts";
import {
  precachingOwner,
  precachingRequestIssues,
  rolloutAhead,
} from "#shared/domain/precache-plan/precaching-owner.ts";
import { startAnnotationIssues } from "#shared/domain/precache-start/rollout/check-before.ts";
import { handBack, handBackClockIssues } from "#shared/domain/precache-start/rollout/hand-back.ts";
import { namedWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { eventComponent, eventLabels } from "./event-source.ts";
import type { Snapshot } from "./observe.ts";
import { withPlannedOutcome, writtenOutcomes } from "./planned-outcome.ts";
import { plannedStatus } from "./planned-status.ts";

/** Returns the plan of a ClusterGroupUpgrade: what to pre-cache on which clusters, and whether to start the rollout. */
export function decide(snapshot: Snapshot): Plan {
  const { cgu } = snapshot;
  return cgu
    ? { ...decideUpgrade(snapshot, cgu), standing: () => writtenOutcomes(snapshot, cgu) }
    : { ...emptyPlan, actions: eventActions(snapshot, []) };
}

function eventActions(
  { now, key, cgu, objectEvents, input }: Snapshot,
  issues: readonly Issue[],
): readonly Action[] {
  const { policies = [], preCachingConfigs = [], configMaps = [] }: Partial<PlanInput> = input ?? {};
  const objects = [...(cgu ? [cgu] : []), ...preCachingConfigs, ...configMaps, ...policies];
  // Each ClusterGroupUpgrade that reports an issue of an object has its own Event about the issue.
  const reports = issueEvents(issues, objects).map((objectEvent) => ({
    ...objectEvent,
    distinction: `${objectEvent.distinction ?? ""}\n${key}`,
  }));
  return planObjectEvents({
    objectEvents: reports,
    existing: objectEvents,
    component: eventComponent,
    labels: eventLabels(key),
    now,
  });
}

function summary({ clusters, conditions }: PrecachePlan): string {
  const counts = Object.entries(Object.groupBy(clusters, ({ action }) => action)).map(
    ([action, some = []]) => `${some.length} ${action}`,
  );
  const last = conditions.at(-1);
  return `${counts.join(", ") || "no clusters"}; ${last?.reason ?? ""}: ${last?.message.trim() ?? ""}`;
}

/** Sorts the clusters of a status for a comparison, since their order does not matter to subscribers. */
function withoutOrder(status: unknown): unknown {
  const { precaching, ...others } = fieldsOf(status);
  const { clusters, ...plan } = fieldsOf(precaching);
  return [others, plan, listOf(clusters).toSorted()];
}

function planned(snapshot: Snapshot, cgu: KubernetesObject, input: PlanInput, isTalmSeen: boolean) {
  const { now, planning } = snapshot;
  const { workloadImage: ofDeployment } = planning;
  const { plan, preCacheImage: requested } = planPrecache(input, planning);
  const { spec } = plan;
  const isValid = spec.spaceRequired !== "";
  const annotated = isValid
    ? withWorkloadImage(cgu, chosenWorkloadImage(cgu, { spec, requested, ofDeployment }))
    : cgu;
  const isNewWorkload = annotated !== cgu;
  const { status, hasNewWork } = plannedStatus(annotated, plan, { isTalmSeen, isNewWorkload, now });
  const isChanged = !isSameJson(status, fieldsOf(cgu.status));
  const reason = summary(plan);
  const isNews = !isSameJson(withoutOrder(status), withoutOrder(cgu.status));
  const { noted, outcome } = isNews
    ? withPlannedOutcome(snapshot, annotated, status, plan)
    : { noted: annotated, outcome: undefined };
  const actions: Action[] = [
    ...(noted === cgu
      ? []
      : [{ verb: "update" as const, object: noted, reason: "records what its status refers to" }]),
    ...(isChanged
      ? [
          {
            verb: "update-status" as const,
            object: { ...noted, status },
            reason,
            ...(outcome && { outcomes: [outcome] }),
          },
        ]
      : []),
  ];
  return {
    plan,
    actions,
    hasNewWork,
    decision: {
      subject: `${cgu.kind}/${snapshot.key}`,
      verdict: hasNewWork ? "planned" : isChanged ? "changed" : "unchanged",
      reason,
    },
  };
}

function handedBack(
  cgu: KubernetesObject,
  snapshot: Snapshot,
): Pick<Plan, "actions" | "issues" | "requeueAt"> {
  const step = handBack(cgu, snapshot.reports, snapshot.rollout, snapshot);
  const { issues } = step;
  if (step.step === "enable") {
    const object = { ...cgu, spec: { ...fieldsOf(cgu.spec), enable: true } };
    const reason = "pre-caching is done, the rollout may start";
    return { actions: [{ verb: "update", object, reason }], issues };
  }
  return { actions: [], issues, ...(step.step === "wait" ? { requeueAt: step.until } : {}) };
}

function annotationIssues(
  snapshot: Snapshot,
  cgu: KubernetesObject,
  { preCachingConfigs }: PlanInput,
): readonly Issue[] {
  const annotatedObjects = [cgu, ...preCachingConfigs];
  return [
    ...annotatedObjects.flatMap((object) => namedWindowIssues(object, snapshot.rollout.windows)),
    ...handBackClockIssues(cgu, snapshot.rollout, snapshot),
    ...startAnnotationIssues(annotatedObjects),
  ];
}

function decideUpgrade(snapshot: Snapshot, cgu: KubernetesObject): Plan {
  const { now, leases, input, key } = snapshot;
  if (isOver(cgu)) {
    const issues = rolloutAhead(cgu);
    return { ...emptyPlan, issues, actions: eventActions(snapshot, issues) };
  }
  const handBackPlan = handedBack(cgu, snapshot);
  const unreadRequest = precachingRequestIssues(cgu);
  const requeue = handBackPlan.requeueAt ? { requeueAt: handBackPlan.requeueAt } : {};
  if (!input)
    return {
      ...emptyPlan,
      ...handBackPlan,
      issues: [...handBackPlan.issues, ...unreadRequest],
      actions: [...handBackPlan.actions, ...eventActions(snapshot, unreadRequest)],
    };
  const owner = precachingOwner(cgu, leases, now);
  if (owner.by !== "hubrelay") {
    const issues = [...owner.issues, ...unreadRequest];
    return {
      ...emptyPlan,
      decisions: [
        { subject: `${cgu.kind}/${key}`, verdict: "left to others", reason: owner.reason, owner: owner.by },
      ],
      issues,
      actions: eventActions(snapshot, issues),
    };
  }
  const { plan, actions, decision, hasNewWork } = planned(snapshot, cgu, input, owner.isTalmSeen);
  // With new content or clusters, pre-caching is not done yet. Then the rollout must not start.
  if (handBackPlan.actions.length > 0 && !hasNewWork) return { ...emptyPlan, ...handBackPlan };
  const issues = [
    ...plan.issues,
    ...handBackPlan.issues,
    ...unreadRequest,
    ...annotationIssues(snapshot, cgu, input),
  ];
  return {
    decisions: [decision],
    issues,
    actions: [...actions, ...eventActions(snapshot, issues)],
    ...requeue,
  };
}
