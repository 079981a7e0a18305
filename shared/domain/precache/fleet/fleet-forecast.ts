import { sentence } from "../../credentials/redact.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type ForecastInput, forecast } from "../forecast/forecast.ts";
import { forecastText, saysSomething } from "../forecast/forecast-text.ts";
import type { RemediedForecast } from "../forecast/remedies.ts";
import { type ForecastSources, forecastInput } from "../forecast/upgrade-forecast.ts";
import type { FleetStatus } from "./fleet-status.ts";

/**
 * Returns a fleet with its forecast, which also says when the last cluster ends, if that is known of all.
 * `forecastOf` may add remedies.
 */
export function withForecast<Fleet extends FleetStatus>(
  fleet: Fleet,
  cgu: KubernetesObject,
  sources: ForecastSources,
  now: Date,
  by?: Date,
  forecastOf: (input: ForecastInput, by?: Date) => RemediedForecast = forecast,
): Fleet {
  const input = fleet.ended < fleet.total ? forecastInput(cgu, sources, now) : undefined;
  if (!input) return fleet;
  const found = forecastOf(input, by);
  const { expectedEnd, unknown } = found;
  const estimatedEnd = expectedEnd !== null && unknown === 0 ? { estimatedEnd: expectedEnd } : {};
  return { ...fleet, ...estimatedEnd, forecast: found };
}

/** Returns the line about a fleet's forecast; undefined when nothing is expected, and nothing is late. */
export function forecastLine({ forecast: found }: FleetStatus): string | undefined {
  return found && saysSomething(found) ? sentence`forecast: ${forecastText(found)}` : undefined;
}
