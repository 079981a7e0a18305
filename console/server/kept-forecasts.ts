import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { type ForecastOf, upgradeForecast } from "#shared/domain/precache-progress/fleet/fleet-forecast.ts";
import type { ForecastSources } from "#shared/domain/precache-progress/forecast/upgrade-forecast.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";

type Kept = Readonly<{
  inputs: readonly unknown[];
  madeAt: number;
  tookMs: number;
  found: ReturnType<ForecastOf>;
  /** Why there is none. */
  problem: string | undefined;
}>;

/** Forecasts, and why one of them cannot be made. */
export type KeptForecasts = Readonly<{ forecastOf: ForecastOf; problem(): string | undefined }>;

/** Windows open, deadlines pass: a forecast depends on the time as well. */
const unchangedMs = 60_000;
/** Nobody needs a forecast that is newer: a page does not wait for one each time that a cluster has pulled an image. */
const changedMs = 10_000;
/** While fleets change all the time, all their forecasts together take at most this part of the server's. */
const maxPart = 1 / 20;
/** Upgrades and times to be done by, of which forecasts are kept; more where a hub has more upgrades. */
const maxKept = 50;

/** Lists of a watched hub are the same as long as none of their objects has changed. */
const inputsOf = (
  cgu: KubernetesObject,
  { windows, configs, managedClusters, reports, upgrades }: ForecastSources,
): readonly unknown[] => [cgu, windows, configs, managedClusters, reports, upgrades];

/**
 * Returns forecasts that are made once for all pages and viewers: again after a minute, or ten seconds where what they are
 * made from has changed, but not more often than their cost allows. `clock` is in milliseconds.
 */
export function keptForecasts(
  forecastOf: ForecastOf = upgradeForecast,
  clock: () => number = () => performance.now(),
): KeptForecasts {
  const kept = new Map<string, Kept>();

  /** All else on a page does not depend on it: a page without a forecast is better than none. */
  function made(...given: Parameters<ForecastOf>): Pick<Kept, "found" | "problem"> {
    try {
      return { found: forecastOf(...given), problem: undefined };
    } catch (error) {
      return { found: undefined, problem: `${namespacedName(given[0].metadata)}: ${messageOf(error)}` };
    }
  }

  const keptForecastOf: ForecastOf = (cgu, sources, now, by) => {
    const key = `${namespacedName(cgu.metadata)} ${by?.getTime()}`;
    const inputs = inputsOf(cgu, sources);
    const began = clock();
    const costMs = [...kept.values()].reduce((sum, { tookMs }) => sum + tookMs, 0);
    const limitOf = (ms: number) => Math.max(ms, costMs / maxPart);
    const before = kept.get(key);
    if (before) {
      const isSame = inputs.every((input, index) => input === before.inputs[index]);
      if (began - before.madeAt < limitOf(isSame ? unchangedMs : changedMs)) return before.found;
    }
    const { found, problem } = made(cgu, sources, now, by);
    const madeAt = clock();
    kept.delete(key);
    kept.set(key, { inputs, madeAt, tookMs: madeAt - began, found, problem });
    // An upgrade has one for its page and one for its windows.
    const most = Math.max(maxKept, 2 * sources.upgrades.length);
    for (const [old, one] of kept)
      if (kept.size > most || madeAt - one.madeAt >= limitOf(unchangedMs)) kept.delete(old);
    return found;
  };
  return {
    forecastOf: keptForecastOf,
    problem: () => [...kept.values()].find(({ problem }) => problem !== undefined)?.problem,
  };
}
