import { boundedIssues, maxListed } from "#shared/domain/issues/issue.ts";
import { fieldsOf, listOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { keptOutcomes, withKeptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import { type OutcomeEvent, outcomeEvent, outcomeId } from "#shared/domain/plan/outcome-event.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
} from "#shared/domain/precache-model/conditions.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";

type Of = Readonly<{ hubId: string; key: string; now: Date }>;

const plannedConditions = [
  conditionTypes.clustersSelected,
  conditionTypes.validated,
  conditionTypes.precacheSpecValid,
];

/** Returns a text that identifies a plan, whatever the order of its clusters. `before` distinguishes equal plans. */
function nameOfPlan(status: unknown, before: OutcomeEvent | undefined): string {
  const { spec, clusters } = fieldsOf(fieldsOf(status).precaching);
  const stored = storedConditions(status);
  const conditions = plannedConditions.map((type) => {
    const { observedGeneration: _generation, ...condition } = storedCondition(stored, type) ?? {};
    return condition;
  });
  return JSON.stringify([before?.id, conditions, spec, listOf(clusters).toSorted()]);
}

/**
 * Returns the outcomes of the last plans. Their annotation is written before the status, so the last outcome is left
 * out if its status was never written.
 */
export function writtenOutcomes(
  { hubId, key }: Omit<Of, "now">,
  cgu: KubernetesObject,
): readonly OutcomeEvent[] {
  const kept = keptOutcomes([cgu], {
    source: hubId,
    type: "dev.hubrelay.precache-plan.",
    subjects: [key],
  });
  const [last, before] = kept.toReversed();
  if (!last) return [];
  const isWritten = last.id === outcomeId({ ...last, from: nameOfPlan(cgu.status, before) });
  return isWritten ? kept : kept.slice(0, -1);
}

/** Returns the outcome of a plan, and the ClusterGroupUpgrade with the outcome in an annotation. */
export function withPlannedOutcome(
  { hubId, key, now }: Of,
  cgu: KubernetesObject,
  status: unknown,
  { namespace, name, spec, conditions, clusters, issues }: PrecachePlan,
): Readonly<{ noted: KubernetesObject; outcome: OutcomeEvent }> {
  const earlier = writtenOutcomes({ hubId, key }, cgu);
  const outcome = outcomeEvent({
    type: "dev.hubrelay.precache-plan.planned",
    source: hubId,
    subject: key,
    from: nameOfPlan(status, earlier.at(-1)),
    at: now,
    data: {
      namespace,
      name,
      spec,
      conditions,
      clusterCount: clusters.length,
      clusters: clusters.slice(0, maxListed),
      ...boundedIssues(issues),
    },
  });
  return { noted: withKeptOutcomes(cgu, [...earlier, outcome]), outcome };
}
