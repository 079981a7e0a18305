import { namespacedName } from "#shared/domain/kubernetes/object.ts";
import { type ForecastOf, upgradeForecast } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";

type Kept = Readonly<{
  madeAt: number;
  tookMs: number;
  found: ReturnType<ForecastOf>;
  problem: string | undefined;
}>;

/** Cached forecasts. `problem` returns the reason why a forecast failed; undefined if none failed. */
export type KeptForecasts = Readonly<{ forecastOf: ForecastOf; problem(): string | undefined }>;

/** Minimum time for which a forecast is kept. If it were shorter, pages would often wait for a new forecast. */
const minKeptMs = 10_000;
/** The maximum part of the time that computing forecasts may take. */
const maxPart = 1 / 20;

/** Returns forecasts with a cache for all pages and viewers. `clock` returns milliseconds. */
export function keptForecasts(
  forecastOf: ForecastOf = upgradeForecast,
  clock: () => number = () => performance.now(),
): KeptForecasts {
  const kept = new Map<string, Kept>();

  /** Returns an error as `problem`: a thrown error would hide the rest of a page. */
  function made(...given: Parameters<ForecastOf>): Pick<Kept, "found" | "problem"> {
    try {
      return { found: forecastOf(...given), problem: undefined };
    } catch (error) {
      return { found: undefined, problem: `${namespacedName(given[0].metadata)}: ${messageOf(error)}` };
    }
  }

  return {
    forecastOf(cgu, sources, now, by) {
      const began = clock();
      const costMs = [...kept.values()].reduce((sum, { tookMs }) => sum + tookMs, 0);
      const keptMs = Math.max(minKeptMs, costMs / maxPart);
      for (const [old, { madeAt }] of kept) if (began - madeAt >= keptMs) kept.delete(old);
      const key = `${namespacedName(cgu.metadata)} ${by?.getTime()}`;
      const before = kept.get(key);
      if (before) return before.found;
      const { found, problem } = made(cgu, sources, now, by);
      const madeAt = clock();
      kept.set(key, { madeAt, tookMs: madeAt - began, found, problem });
      return found;
    },
    problem: () => [...kept.values()].find(({ problem }) => problem !== undefined)?.problem,
  };
}
