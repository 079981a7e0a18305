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

/** A fleet in one line. */
export type FleetSummary = Readonly<{
  /** `namespace/name`. */
  key: string;
  /** What its condition says, or how far its plan is. */
  message: string;
  total: number;
  ended: number;
  bar: readonly BarPart[];
  /** Why clusters failed, are incomplete, wait or cannot be reached. */
  reasons: readonly ReasonGroup[];
}>;

/** Returns `namespace/name` of a fleet. */
export const fleetKey = ({ namespace, name }: Pick<FleetStatus, "namespace" | "name">) =>
  `${namespace}/${name}`;

/** Returns a fleet in one line. */
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

/** A ClusterGroupUpgrade that is pre-cached. */
export type Fleet = Readonly<{ cgu: KubernetesObject; status: FleetStatus }>;

/** Returns the fleets that hubrelay pre-caches. */
export function fleetsOf(snapshot: Snapshot): readonly Fleet[] {
  const sources = fleetSources(snapshot.list);
  return sources.upgrades.flatMap((cgu) => {
    const status = fleetStatus(cgu, sources.reports, snapshot.now, sources);
    return status ? [{ cgu, status }] : [];
  });
}

/** Returns the status of a fleet with its forecast, also for a time by which its clusters should have their images. */
export function withForecastOf({ cgu, status }: Fleet, snapshot: Snapshot, by?: Date): FleetStatus {
  return withForecast(status, cgu, fleetSources(snapshot.list), snapshot.now, by, snapshot.forecastOf);
}

/** The gate of each cluster of an upgrade. */
export type FleetGates = (cluster: string) => Gate;

/** Returns a function that returns the gates of a fleet, as the functions decide them. */
export function gatesOfFleets({ list, now }: Snapshot): (fleet: Fleet) => FleetGates {
  const gate = gatekeeper(list(kinds.MaintenanceWindow), ({ allow }) => allow.preCaching, { now });
  const labelsOf = labelsByCluster(list(kinds.ManagedCluster));
  const configs = list(kinds.PreCachingConfig);
  return ({ cgu }) => {
    const referrers = [cgu, ...configsOf(cgu, configs)];
    return (cluster) => gate(referrers, labelsOf(cluster));
  };
}

/** Returns all fleets, those with something left to do first. */
export function fleetsByUrgency(snapshot: Snapshot): readonly Fleet[] {
  const isOver = ({ status: { ended, total } }: Fleet) => Number(ended === total);
  return fleetsOf(snapshot).toSorted((a, b) => isOver(a) - isOver(b));
}

/** Returns the coverage of the fleets: plans follow from policies and releases, which the console does not read. */
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

/** Where the clusters of a fleet are. */
export type FleetSites = Readonly<{
  /** The label of ManagedClusters that names sites; undefined if they have no such label. */
  label: string | undefined;
  siteOf(cluster: string): string;
}>;

/** A reason, and where its clusters are. */
export type SiteReason = ReasonGroup &
  Readonly<{
    /** Those with the most clusters first; none for a fleet without sites. */
    sites: readonly Readonly<{ site: string; count: number }>[];
    /** What a person does about it; empty where there is nothing to do but to wait. */
    remedy: string;
  }>;

/** Many fleets name their sites with this label, although nothing on the hub says so. */
const usualLabel = "site";

/**
 * Returns a function that returns the sites of a fleet: by the viewer's label, that of the upgrade, or the usual one where
 * clusters have it.
 */
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

/** Returns a reason with its sites, and what a person does about it. */
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
