import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { type ForecastOf, upgradeForecast } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import type { ForecastSources } from "#shared/domain/precache-progress/forecast/upgrade-forecast.ts";
import { messageOf } from "#shared/domain/text/error-text.ts";

type Kept = Readonly<{
  inputs: readonly unknown[];
  madeAt: number;
  tookMs: number;
  found: ReturnType<ForecastOf>;
  problem: string | undefined;
}>;

/** Cached forecasts, and why one of them is not available. */
export type KeptForecasts = Readonly<{ forecastOf: ForecastOf; problem(): string | undefined }>;

/** A forecast also depends on the time: windows open, deadlines pass. */
const unchangedMs = 60_000;
/** A page need not wait for a new forecast each time that a cluster has pulled an image. */
const changedMs = 10_000;
/** The maximum share of the server's time for all forecasts, while fleets change all the time. */
const maxPart = 1 / 20;
/** The number of cached forecasts, one for each upgrade and deadline; higher on a hub with more upgrades. */
const maxKept = 50;

/** Lists of a watched hub are the same arrays until one of their objects changes. */
const inputsOf = (
  cgu: KubernetesObject,
  { windows, configs, managedClusters, reports, upgrades }: ForecastSources,
): readonly unknown[] => [cgu, windows, configs, managedClusters, reports, upgrades];

/**
 * Returns forecasts that are cached for all pages and viewers: for a minute, or for ten seconds after their input has
 * changed, but longer when their cost requires it. `clock` is in milliseconds.
 */
export function keptForecasts(
  forecastOf: ForecastOf = upgradeForecast,
  clock: () => number = () => performance.now(),
): KeptForecasts {
  const kept = new Map<string, Kept>();

  /** The rest of a page does not depend on the forecast, so an error must not hide it. */
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
    // An upgrade has one forecast for its page and one for its windows.
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
