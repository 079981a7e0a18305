import { boundedIssues, longestList } from "#shared/domain/bounded-list.ts";
import { keptOutcomes, withKeptOutcomes } from "#shared/domain/events/kept-outcomes.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { isRecord } from "#shared/domain/mirrors/fields.ts";
import { conditionTypes, storedCondition, storedConditions } from "#shared/domain/precache/conditions.ts";
import type { PrecachePlan } from "#shared/domain/precache/precache-plan.ts";
import { readStoredSpec } from "#shared/domain/precache/precaching-spec.ts";
import { isSameJson } from "#shared/domain/same-json.ts";

type Of = Readonly<{ hubId: string; key: string }>;

/** Returns the outcome of a plan that is about to be written; `isNews` for one with something new to do. */
export function plannedOutcome(
  { hubId, key }: Of,
  cgu: KubernetesObject,
  { namespace, name, spec, conditions, clusters, issues }: PrecachePlan,
  isNews: boolean,
): OutcomeEvent {
  return outcomeEvent({
    type: isNews ? "dev.hubrelay.precache-plan.planned" : "dev.hubrelay.precache-plan.changed",
    source: hubId,
    subject: key,
    from: cgu.metadata.resourceVersion ?? "",
    data: {
      namespace,
      name,
      spec,
      conditions,
      clusterCount: clusters.length,
      clusters: clusters.slice(0, longestList),
      ...boundedIssues(issues),
    },
  });
}

/** True when the status holds what the outcome reports: its spec where that is valid, and why it is not otherwise. */
function isWritten({ data }: OutcomeEvent, { status }: KubernetesObject): boolean {
  const type = conditionTypes.precacheSpecValid;
  const stored = storedCondition(storedConditions(status), type);
  const reported = storedCondition(storedConditions(data), type);
  if (!stored || !reported) return stored === reported;
  const precaching = isRecord(status) && isRecord(status.precaching) ? status.precaching : {};
  return (
    ["status", "reason", "message"].every((field) => stored[field] === reported[field]) &&
    (stored.status !== "True" || isSameJson(readStoredSpec(precaching.spec), data.spec))
  );
}

/**
 * Returns the outcomes of the last plans that were written. They are kept in an annotation, which is written before the
 * status: of the last one the status may never have been written.
 */
export function writtenOutcomes({ hubId, key }: Of, cgu: KubernetesObject): readonly OutcomeEvent[] {
  const kept = keptOutcomes([cgu], {
    source: hubId,
    type: "dev.hubrelay.precache-plan.",
    subjects: [key],
  });
  return kept.filter((outcome, index) => index < kept.length - 1 || isWritten(outcome, cgu));
}

/** Returns the ClusterGroupUpgrade with the outcome of the plan that its status is about to hold. */
export function notingOutcome(of: Of, cgu: KubernetesObject, outcome: OutcomeEvent): KubernetesObject {
  return withKeptOutcomes(cgu, [...writtenOutcomes(of, cgu), outcome]);
}
