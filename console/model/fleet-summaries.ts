import { type Coverage, countedKinds, coverageOf, type Enforced } from "#shared/domain/issues/coverage.ts";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { labelsByCluster, siteLabelOf } from "#shared/domain/precache-model/planned-upgrade.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import { fleetSources, withForecast } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  type BarPart,
  barOf,
  clusterGroupOf,
  fleetMessage,
  type ReasonGroup,
  reasonsOf,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { remedyOf } from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import {
  type ClusterProgress,
  type FleetStatus,
  fleetStatus,
} from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { type Gate, gatekeeper } from "#shared/domain/windows/gate.ts";
import type { Snapshot } from "./snapshot.ts";

/** What a list of fleets shows about one fleet. */
export type FleetSummary = Readonly<{
  key: string;
  message: string;
  total: number;
  ended: number;
  bar: readonly BarPart[];
  reasons: readonly ReasonGroup[];
}>;

/** Returns a fleet as `namespace/name`. */
export const fleetKey = ({ namespace, name }: Pick<FleetStatus, "namespace" | "name">) =>
  `${namespace}/${name}`;

/** Returns what a list of fleets shows about a fleet. */
export function summaryOf(status: FleetStatus): FleetSummary {
  const { total, ended, clusters } = status;
  return {
    key: fleetKey(status),
    message: fleetMessage(status),
    total,
    ended,
    bar: barOf(clusters),
    reasons: reasonsOf(clusters),
  };
}

/** A ClusterGroupUpgrade with pre-caching, and the status of its clusters. */
export type Fleet = Readonly<{ cgu: KubernetesObject; status: FleetStatus }>;

/** Returns the ClusterGroupUpgrades that hubrelay pre-caches, with the status of their clusters. */
export function fleetsOf(snapshot: Snapshot): readonly Fleet[] {
  const sources = fleetSources(snapshot.list);
  return sources.upgrades.flatMap((cgu) => {
    const status = fleetStatus(cgu, sources.reports, snapshot.now, sources);
    return status ? [{ cgu, status }] : [];
  });
}

/** Returns the status of a fleet, with a forecast. `by` is the time by which the clusters should have their images. */
export function withForecastOf({ cgu, status }: Fleet, snapshot: Snapshot, by?: Date): FleetStatus {
  return withForecast(status, cgu, fleetSources(snapshot.list), snapshot.now, by, snapshot.forecastOf);
}

/** Returns the maintenance windows in which a cluster may pull images, and whether one of them is open. */
export type FleetGates = (cluster: string) => Gate;

/** Returns a function that returns the `FleetGates` of a fleet, as the pre-caching functions compute them. */
export function gatesOfFleets({ list, now }: Snapshot): (fleet: Fleet) => FleetGates {
  const gate = gatekeeper(list(kinds.MaintenanceWindow), ({ allow }) => allow.preCaching, { now });
  const labelsOf = labelsByCluster(list(kinds.ManagedCluster));
  const configs = list(kinds.PreCachingConfig);
  return ({ cgu }) => {
    const referrers = [cgu, ...configsOf(cgu, configs)];
    return (cluster) => gate(referrers, labelsOf(cluster));
  };
}

/** Returns the fleets on the hub. Fleets with unfinished clusters are first. */
export function fleetsByUrgency(snapshot: Snapshot): readonly Fleet[] {
  const isOver = ({ status: { ended, total } }: Fleet) => Number(ended === total);
  return fleetsOf(snapshot).toSorted((a, b) => isOver(a) - isOver(b));
}

/** Returns what the console has read about fleets, and what it has not read, such as the OCM policies of upgrades. */
export function coverageOfFleets(fleets: readonly Fleet[], enforced: readonly Enforced[] = []): Coverage {
  const planned = fleets.filter(({ cgu }) => !isOver(cgu));
  return coverageOf({
    read: countedKinds(fleets.map(({ cgu }) => cgu)),
    unread:
      planned.length > 0
        ? [{ what: "policies and releases of an upgrade", why: "not-checked", count: planned.length }]
        : [],
    assumed: [],
    enforced,
  });
}

/** The sites to which the clusters of a fleet belong. */
export type FleetSites = Readonly<{
  /** A label of ManagedClusters. Its values are the sites. Undefined if no such label is known. */
  label: string | undefined;
  siteOf(cluster: string): string;
}>;

/** A reason why clusters of a fleet are not done, with the sites of these clusters. */
export type SiteReason = ReasonGroup &
  Readonly<{
    /** The site with the most clusters is first. Empty if no label is known. */
    sites: readonly Readonly<{ site: string; count: number }>[];
    /** How a person can help; empty if clusters only need to wait. */
    remedy: string;
  }>;

/** The label that many fleets use for sites. It is used if neither the viewer nor the upgrade names a label. */
const usualLabel = "site";

/** Returns a function that finds the sites of a fleet. `by` is the label for sites; absent for the upgrade's label. */
export function sitesOfFleets({ list }: Snapshot): (fleet: Fleet, by?: string) => FleetSites {
  const managedClusters = list(kinds.ManagedCluster);
  const configs = list(kinds.PreCachingConfig);
  const labelsOf = labelsByCluster(managedClusters);
  const isUsed = managedClusters.some(({ metadata }) => metadata.labels?.[usualLabel]);
  return ({ cgu }, by) => {
    const label = by ?? siteLabelOf([cgu, ...configsOf(cgu, configs)]) ?? (isUsed ? usualLabel : undefined);
    return {
      label,
      siteOf: (cluster) =>
        label === undefined ? "all clusters" : (ownValue(labelsOf(cluster), label) ?? `no ${label}`),
    };
  };
}

/** Returns a reason with the sites of its clusters, and with the remedy. */
export function siteReasonOf(
  reason: ReasonGroup,
  clusters: readonly ClusterProgress[],
  { label, siteOf }: FleetSites,
): SiteReason {
  const some = clusters.filter((one) => one.reason === reason.reason && clusterGroupOf(one) === reason.group);
  const bySite = label === undefined ? [] : Map.groupBy(some, ({ name }) => siteOf(name));
  const [first] = some;
  return {
    ...reason,
    sites: [...bySite]
      .map(([site, { length }]) => ({ site, count: length }))
      .sort((a, b) => b.count - a.count || (a.site < b.site ? -1 : 1)),
    remedy: first ? remedyOf(first) : "",
  };
}
