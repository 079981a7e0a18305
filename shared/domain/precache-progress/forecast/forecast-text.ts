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

/**
 * Returns how many clusters are late or may be late: `2 late, 1 at risk`. If there are none, returns a text such as
 * `in time`, or an empty text without a due time.
 */
export function deadlineText({ late, atRisk, unknown }: EndForecast, by: string | undefined): string {
  const counts = countsText([
    [late, "late"],
    [atRisk, "at risk"],
  ]);
  if (counts !== "" || by === undefined) return counts;
  return unknown > 0 ? "none known to be late" : "in time";
}

/** Reports whether a forecast knows when a cluster ends, or that a cluster is late. */
export const saysSomething = ({ expected, late }: EndForecast): boolean => expected > 0 || late > 0;

/** Returns one line that says when a fleet will have its images. */
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
  // The text has the number of failed clusters already. That is enough without a due time if no other cluster is late.
  const deadline = by === undefined && forecast.late === failed ? "" : deadlineText(forecast, by);
  const wanted = by === undefined ? deadline : sentence`by ${forecastTime(by)}: ${deadline}`;
  return [ends, others, wanted].filter(Boolean).join("; ");
}

const maxLimits = 3;

/** Returns one line with the limits that clusters wait for; undefined if there are none. */
export const limitsText = ({ limits }: Forecast): string | undefined =>
  limits && sentence`limited by: ${someOf(limits, maxLimits)}`;
