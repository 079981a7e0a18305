import { type Kind, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { type FleetReadiness, withReadiness } from "../../ready/record/fleet-readiness.ts";
import type { ForecastSources } from "../forecast/upgrade-forecast.ts";
import { type ForecastOf, withForecast } from "./fleet-forecast.ts";
import { type FleetSources, type FleetStatus, fleetStatus } from "./fleet-status.ts";

/** The progress of an upgrade, with whether mirrors hold its images if a report says so. */
export type CheckedFleet = FleetStatus & Readonly<{ readiness?: FleetReadiness }>;

/** Returns all objects of a kind. */
export type ListKind = (kind: Kind) => readonly KubernetesObject[];

/** The kinds that fleets are read from. */
export const fleetKinds: readonly Kind[] = [
  kinds.MaintenanceWindow,
  kinds.PreCachingConfig,
  kinds.ManagedCluster,
  kinds.ImageBasedGroupUpgrade,
  kinds.PreCachingReport,
  kinds.ClusterGroupUpgrade,
  kinds.ReadinessReport,
];

/** Returns what the status and the forecast of fleets are made from. */
export const fleetSources = (list: ListKind): FleetSources & ForecastSources => ({
  windows: list(kinds.MaintenanceWindow),
  configs: list(kinds.PreCachingConfig),
  managedClusters: list(kinds.ManagedCluster),
  imageBasedUpgrades: list(kinds.ImageBasedGroupUpgrade),
  reports: list(kinds.PreCachingReport),
  upgrades: list(kinds.ClusterGroupUpgrade),
});

/** Returns the fleets of these upgrades that hubrelay pre-caches; `forecastOf` returns undefined for no forecast. */
export function checkedFleets(
  cgus: readonly KubernetesObject[],
  list: ListKind,
  now: Date,
  { by, forecastOf }: Readonly<{ by?: Date | undefined; forecastOf?: ForecastOf }> = {},
): readonly CheckedFleet[] {
  const sources = fleetSources(list);
  const readiness = list(kinds.ReadinessReport);
  return cgus.flatMap((cgu) => {
    const status = fleetStatus(cgu, sources.reports, now, sources);
    return status
      ? withReadiness(withForecast(status, cgu, sources, now, by, forecastOf), readiness, now)
      : [];
  });
}
