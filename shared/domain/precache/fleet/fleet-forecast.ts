import { sentence } from "../../credentials/redact.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { forecast } from "../forecast/forecast.ts";
import { forecastText, saysSomething } from "../forecast/forecast-text.ts";
import type { RemediedForecast } from "../forecast/remedies.ts";
import { type ForecastSources, forecastInput } from "../forecast/upgrade-forecast.ts";
import type { FleetStatus } from "./fleet-status.ts";

/** Returns the forecast of an upgrade, also for a time to be done by; undefined when nothing is planned. */
export type ForecastOf = (
  cgu: KubernetesObject,
  sources: ForecastSources,
  now: Date,
  by?: Date,
) => RemediedForecast | undefined;

/** Returns the forecast of an upgrade, made now. */
export const upgradeForecast: ForecastOf = (cgu, sources, now, by) => {
  const input = forecastInput(cgu, sources, now);
  return input && forecast(input, by);
};

/**
 * Returns a fleet with its forecast, which also says when the last cluster ends, if that is known of all. `forecastOf`
 * may return an earlier forecast, or one with remedies.
 */
export function withForecast<Fleet extends FleetStatus>(
  fleet: Fleet,
  cgu: KubernetesObject,
  sources: ForecastSources,
  now: Date,
  by?: Date,
  forecastOf: ForecastOf = upgradeForecast,
): Fleet {
  const found = fleet.ended < fleet.total ? forecastOf(cgu, sources, now, by) : undefined;
  if (!found) return fleet;
  const { expectedEnd, unknown } = found;
  const estimatedEnd = expectedEnd !== null && unknown === 0 ? { estimatedEnd: expectedEnd } : {};
  return { ...fleet, ...estimatedEnd, forecast: found };
}

/** Returns the line about a fleet's forecast; undefined when nothing is expected, and nothing is late. */
export function forecastLine({ forecast: found }: FleetStatus): string | undefined {
  return found && saysSomething(found) ? sentence`forecast: ${forecastText(found)}` : undefined;
}
