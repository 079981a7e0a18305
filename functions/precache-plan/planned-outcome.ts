import { boundedIssues, maxListed } from "#shared/domain/issues/issue.ts";
import { fieldsOf, listOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { keptOutcomes, withKeptOutcomes } from "#shared/domain/plan/kept-outcomes.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { type OutcomeEvent, outcomeEvent, outcomeId } from "#shared/domain/plan/outcome-event.ts";
import {
  conditionTypes,
  storedCondition,
  storedConditions,
} from "#shared/domain/precache-model/conditions.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import {
  type EndForecast,
  type Forecast,
  forecast,
} from "#shared/domain/precache-progress/forecast/forecast.ts";
import { forecastText, saysSomething } from "#shared/domain/precache-progress/forecast/forecast-text.ts";
import { forecastInput } from "#shared/domain/precache-progress/forecast/upgrade-forecast.ts";
import type { Snapshot } from "./observe.ts";

type Of = Readonly<{ hubId: string; key: string; now: Date }>;

const plannedConditions = [
  conditionTypes.clustersSelected,
  conditionTypes.validated,
  conditionTypes.precacheSpecValid,
];

/**
 * Includes the previous outcome, so that the same plan at another time has another name. Excludes the order of
 * clusters, which depends on which of them the hub reaches.
 */
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
 * Returns the outcomes of the last written plans. The annotation with the outcomes is written before the status, so the
 * last outcome is left out if its status was never written.
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

type Made = Readonly<{ plan: PrecachePlan; forecast: Forecast | undefined }>;

/** A forecast has thousands of clusters; the outcome has only its counts and times. */
const endsOf = ({
  clusters,
  done,
  failed,
  expected,
  unknown,
  expectedEnd,
  latestEnd,
  late,
}: Forecast): EndForecast => ({
  clusters,
  done,
  failed,
  expected,
  unknown,
  expectedEnd,
  latestEnd,
  late,
});

/** Returns a ClusterGroupUpgrade with the outcome of the status that is about to be written. */
export function withPlannedOutcome(
  { hubId, key, now }: Of,
  cgu: KubernetesObject,
  status: unknown,
  { plan, forecast }: Made,
): Readonly<{ noted: KubernetesObject; outcome: OutcomeEvent }> {
  const { namespace, name, spec, conditions, clusters, issues } = plan;
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
      ...(forecast ? { forecast: endsOf(forecast) } : {}),
      ...boundedIssues(issues),
    },
  });
  return { noted: withKeptOutcomes(cgu, [...earlier, outcome]), outcome };
}

/** Returns the forecast of a plan; undefined without clusters. `planned` has the status that is about to be written. */
export function plannedForecast(
  { rollout, reports, upgrades, now }: Snapshot,
  planned: KubernetesObject,
  { clusters }: PrecachePlan,
): Forecast | undefined {
  const input = forecastInput(planned, { ...rollout, reports, upgrades }, now, clusters);
  return input && forecast(input);
}

const reason = "Forecast";

/**
 * Returns the Event with the forecast of the plan that is written now, if the forecast has an end or a late cluster.
 * Without a forecast, the Event keeps the message of the last plan.
 */
export function forecastEvents(
  cgu: KubernetesObject,
  found: Forecast | undefined,
  objectEvents: readonly KubernetesObject[],
): readonly ObjectEvent[] {
  const before = objectEvents.find((event) => event.reason === reason)?.message;
  const message = found ? (saysSomething(found) ? forecastText(found) : undefined) : before;
  return typeof message === "string" ? [{ regarding: cgu, type: "Normal", reason, message }] : [];
}
