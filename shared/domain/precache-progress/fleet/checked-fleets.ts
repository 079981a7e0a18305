import { type Kind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { isIncomplete } from "../../precache-model/cluster-state.ts";
import { type FleetReadiness, withReadiness } from "../../ready/record/fleet-readiness.ts";
import { durationText, timeUntil } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { type Forecast, forecast } from "../forecast/forecast.ts";
import { type ForecastSources, forecastInput } from "../forecast/forecast-input.ts";
import { forecastText, saysSomething } from "../forecast/forecast-text.ts";
import { groupsOf } from "./cluster-groups.ts";
import { type FleetSources, type FleetStatus, fleetStatus } from "./fleet-status.ts";

/** Returns an upgrade's forecast for the due time `by`; undefined if the upgrade has no plan or is over. */
export type ForecastOf = (
  cgu: KubernetesObject,
  sources: ForecastSources,
  now: Date,
  by?: Date,
) => Forecast | undefined;

/** Computes an upgrade's forecast anew at each call. */
export const upgradeForecast: ForecastOf = (cgu, sources, now, by) => {
  const input = forecastInput(cgu, sources, now);
  return input && forecast(input, by);
};

/** Returns a fleet with its forecast, and with the expected end of its last cluster if that is known. */
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

/** Returns a line about a fleet's forecast; undefined if nothing is known about its end. */
export function forecastLine({ forecast: found }: FleetStatus): string | undefined {
  return found && saysSomething(found) ? sentence`forecast: ${forecastText(found)}` : undefined;
}

const inDuration = (time: Date, now: Date): string =>
  sentence`in ${durationText(time.getTime() - now.getTime())}`;

/** Returns a text about the end of the last cluster: `ETA 3m5s (09:46 UTC), without 2 outside their window`. */
export function expectation(
  { estimatedEnd, ended, total, clusters }: FleetStatus,
  now: Date,
  timeText: (time: Date, now: Date) => string = timeUntil,
  timeoutText = inDuration,
): string {
  if (total === 0) return "nothing to wait for";
  const grouped = groupsOf(clusters);
  if (ended === total) {
    const incomplete = grouped.get("done")?.filter(isIncomplete).length ?? 0;
    return incomplete === 0 ? "all have ended" : `all have ended, ${incomplete} of them incomplete`;
  }
  const offline = grouped.get("offline") ?? [];
  const deadlines = offline.flatMap(({ deadline }) => (deadline ? [Date.parse(deadline)] : []));
  const last = Math.max(...deadlines);
  const due = last > now.getTime() ? sentence`, timeout ${timeoutText(new Date(last), now)}` : "";
  const outside = grouped.get("outside its window")?.length ?? 0;
  const waits = [
    ...(outside > 0 ? [`${outside} outside ${outside === 1 ? "its window" : "their window"}`] : []),
    ...(offline.length > 0 ? [sentence`${offline.length} offline${due}`] : []),
  ].join(" and ");
  const isMoving = grouped.has("pulling") || grouped.has("waiting");
  if (!isMoving && waits !== "") return sentence`waits for ${waits}`;
  const eta = estimatedEnd ? sentence`ETA ${timeText(new Date(estimatedEnd), now)}` : "no ETA yet";
  return waits === "" ? eta : sentence`${eta}, without ${waits}`;
}

/** The progress of an upgrade, and the readiness of its images if a ReadinessReport exists. */
export type CheckedFleet = FleetStatus & Readonly<{ readiness?: FleetReadiness }>;

/** Returns all objects of a kind. */
export type ListKind = (kind: Kind) => readonly KubernetesObject[];

/** The kinds of objects that `checkedFleets` reads. */
export const fleetKinds: readonly Kind[] = [
  kinds.MaintenanceWindow,
  kinds.PreCachingConfig,
  kinds.ManagedCluster,
  kinds.ImageBasedGroupUpgrade,
  kinds.PreCachingReport,
  kinds.ClusterGroupUpgrade,
  kinds.ReadinessReport,
];

/** Returns the objects from which the status and the forecast of fleets are computed. */
export const fleetSources = (list: ListKind): FleetSources & ForecastSources => ({
  windows: list(kinds.MaintenanceWindow),
  configs: list(kinds.PreCachingConfig),
  managedClusters: list(kinds.ManagedCluster),
  imageBasedUpgrades: list(kinds.ImageBasedGroupUpgrade),
  reports: list(kinds.PreCachingReport),
  upgrades: list(kinds.ClusterGroupUpgrade),
});

/** Returns the progress of each upgrade that hubrelay pre-caches; other upgrades are left out. */
export function checkedFleets(
  cgus: readonly KubernetesObject[],
  list: ListKind,
  now: Date,
  forecastOf?: ForecastOf,
): readonly CheckedFleet[] {
  const sources = fleetSources(list);
  const readiness = list(kinds.ReadinessReport);
  return cgus.flatMap((cgu) => {
    const status = fleetStatus(cgu, sources.reports, now, sources);
    return status
      ? withReadiness(withForecast(status, cgu, sources, now, undefined, forecastOf), readiness)
      : [];
  });
}
