import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { labelsByCluster, siteLabelOf } from "#shared/domain/precache-model/planned-upgrade.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { clusterGroupOf } from "#shared/domain/precache-progress/fleet/cluster-group.ts";
import { remedyOf } from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import type { ClusterProgress } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import type { ReasonGroup } from "#shared/domain/precache-progress/fleet/reason-groups.ts";
import type { Fleet } from "./fleet-summaries.ts";
import type { Snapshot } from "./snapshot.ts";

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
