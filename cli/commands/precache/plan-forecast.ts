import { plannedStatus } from "#functions/precache-plan/planned-status.ts";
import { isKind, type KubernetesObject, kinds, withAnnotation } from "#shared/domain/kubernetes/object.ts";
import type { Forecast } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { forecastInput } from "#shared/domain/precache-progress/forecast/forecast-input.ts";
import { bandwidthAnnotation } from "#shared/domain/precache-start/bandwidth-annotation.ts";
import { type Bandwidths, bandwidthText } from "#shared/domain/precache-start/bandwidths.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { type DueOptions, forecastWith } from "./due-options.ts";
import type { SizedPlan } from "./precache-sizes.ts";

/** A plan with its forecast. */
export type ForecastPlan = SizedPlan["plan"] & Readonly<{ forecast?: Forecast }>;

const forecastKinds = [kinds.MaintenanceWindow, kinds.PreCachingReport, kinds.ClusterGroupUpgrade];

type ForecastOptions = Readonly<{
  due: DueOptions;
  /** Bandwidths that replace the bandwidths in annotations. */
  bandwidth?: Bandwidths | undefined;
}>;

/** Reads the objects that forecasts need besides plans; undefined if the caller may not read all of them. */
export async function readForecastObjects(): Promise<readonly KubernetesObject[] | undefined> {
  const { objects, unread } = await readLiveHub([], forecastKinds);
  return unread.length > 0 ? undefined : objects;
}

function forecastOf(
  { plan, input }: SizedPlan,
  objects: readonly KubernetesObject[],
  { now, due, bandwidth }: ForecastOptions & Readonly<{ now: Date }>,
): ForecastPlan["forecast"] {
  const { managedClusters, preCachingConfigs: configs } = input;
  const cgu = bandwidth
    ? withAnnotation(input.cgu, bandwidthAnnotation, bandwidthText(bandwidth))
    : input.cgu;
  const { status } = plannedStatus(cgu, plan, { isTalmSeen: false, isNewWorkload: false, now });
  const ofKind = (kind: (typeof forecastKinds)[number]) => objects.filter((object) => isKind(kind, object));
  const sources = {
    windows: ofKind(kinds.MaintenanceWindow),
    reports: ofKind(kinds.PreCachingReport),
    upgrades: ofKind(kinds.ClusterGroupUpgrade),
    configs,
    managedClusters,
  };
  const read = forecastInput({ ...cgu, status }, sources, now, plan.clusters);
  if (!read) return undefined;
  const measured = new Map(
    plan.sizes?.clusters.flatMap(({ name, totalBytes }) => (totalBytes === null ? [] : [[name, totalBytes]])),
  );
  const sized = { ...read, measuredBytesOf: (cluster: string) => measured.get(cluster) };
  return forecastWith(sized, due);
}

/** Adds a forecast to each plan that has clusters. `objects` are the hub's windows, reports and upgrades. */
export function withForecasts(
  plans: readonly SizedPlan[],
  objects: readonly KubernetesObject[],
  options: ForecastOptions,
): readonly ForecastPlan[] {
  const now = new Date();
  return plans.map((one) => {
    const found = forecastOf(one, objects, { ...options, now });
    return found ? { ...one.plan, forecast: found } : one.plan;
  });
}
