import { someOf } from "../../kubernetes/json/values.ts";
import { dayAndTime } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import type { EndForecast, Forecast } from "./forecast.ts";

/** Formats a time of a forecast: `Sat 2026-11-28 06:10 UTC`, or `unknown`. */
export function forecastTime(time: string | null): string {
  return time === null ? "unknown" : sentence`${dayAndTime(new Date(time))} UTC`;
}

const countsText = (counts: readonly (readonly [number | undefined, string])[]): string =>
  counts.flatMap(([count, what]) => (count ? [`${count} ${what}`] : [])).join(", ");

/** Returns how many clusters are late or at risk, or that none is; empty if none is and there is no due time. */
export function deadlineText({ late, atRisk, unknown }: EndForecast, by: string | undefined): string {
  const counts = countsText([
    [late, "late"],
    [atRisk, "at risk"],
  ]);
  if (counts !== "" || by === undefined) return counts;
  return unknown > 0 ? "none known to be late" : "in time";
}

/** Reports whether a forecast has an expected end or a late cluster; without either, nothing is known. */
export const saysSomething = ({ expected, late }: EndForecast): boolean => expected > 0 || late > 0;

/** Returns when a fleet will have its images, as one line for commands, the live screen and pages. */
export function forecastText(forecast: Forecast): string {
  const { clusters, expected, done, failed, unknown, expectedEnd, latestEnd, by } = forecast;
  if (done === clusters) return "every cluster has its images";
  const ends =
    expected > 0 &&
    sentence`${expected} more by ${forecastTime(expectedEnd)}, at the latest ${forecastTime(latestEnd)}`;
  const others = countsText([
    [failed, "failed"],
    [unknown, "unknown"],
  ]);
  // Without a due time, failed clusters count as late: the text contains their number already.
  const deadline = by === undefined && forecast.late === failed ? "" : deadlineText(forecast, by);
  const wanted = by === undefined ? deadline : sentence`by ${forecastTime(by)}: ${deadline}`;
  return [ends, others, wanted].filter(Boolean).join("; ");
}

const maxLimits = 3;

/** Returns which limits clusters wait for, as one line; undefined if they wait for none. */
export const limitsText = ({ limits }: Forecast): string | undefined =>
  limits && sentence`limited by: ${someOf(limits, maxLimits)}`;
