import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import type { PrecachePlan } from "#shared/domain/precache-model/precache-plan.ts";
import { type Forecast, forecast } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { forecastText, saysSomething } from "#shared/domain/precache-progress/forecast/forecast-text.ts";
import { forecastInput } from "#shared/domain/precache-progress/forecast/upgrade-forecast.ts";
import type { Snapshot } from "./observe.ts";

/** Returns when a plan is done; `planned` has the status that is about to be written. Undefined without clusters. */
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
 * Returns the Event with the forecast of the plan that is written now, if that says anything; otherwise with that of the
 * last plan.
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
