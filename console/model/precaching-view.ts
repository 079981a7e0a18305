import type { Coverage } from "#shared/domain/covered/coverage.ts";
import { ownValue } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import {
  type ClusterGroup,
  clusterGroupOf,
  clusterGroups,
} from "#shared/domain/precache/fleet/cluster-group.ts";
import { remedyOf } from "#shared/domain/precache/fleet/cluster-remedy.ts";
import { retryCommand } from "#shared/domain/precache/fleet/cluster-story.ts";
import type { ClusterProgress } from "#shared/domain/precache/fleet/fleet-status.ts";
import { isFinalState } from "#shared/domain/precache/model/cluster-state.ts";
import { configsOf } from "#shared/domain/precache/plan/values/pre-caching-config.ts";
import { labelsByCluster, siteLabelOf } from "#shared/domain/precache/progress/site-label.ts";
import { type CheckedFleet, withReadiness } from "#shared/domain/ready/record/fleet-readiness.ts";
import {
  coverageOfFleets,
  type Fleet,
  type FleetSummary,
  fleetKey,
  fleetsByUrgency,
  gatesOf,
  summaryOf,
  withForecastOf,
} from "./fleet-summaries.ts";
import type { Query, Snapshot } from "./snapshot.ts";

export type Cell = Readonly<{ cluster: string; group: ClusterGroup; isSelected: boolean }>;
export type Site = Readonly<{ name: string; total: number; ended: number; cells: readonly Cell[] }>;

/** The story of one cluster. */
export type ClusterPanel = Readonly<{
  cluster: ClusterProgress;
  group: ClusterGroup;
  site: string | undefined;
  /** The windows that decide about it; none if nothing restricts it. */
  windows: readonly string[];
  isWindowOpen: boolean;
  /** When its windows open or close next, if they do. */
  windowChanges: Date | undefined;
  /** What a person does about its reason; empty where there is nothing to do but to wait. */
  remedy: string;
  /** For a cluster that has ended without success. */
  retry: string | undefined;
}>;

/** How many clusters had ended at a time, and how many images they had pulled. */
export type EndsAt = Readonly<{ time: number; ended: number; images: number }>;

export type PrecachingFilter = Readonly<{
  state?: ClusterGroup;
  site?: string;
  reason?: string;
  /** The label of ManagedClusters to group by. */
  by?: string;
}>;

export type ShownFleet = FleetSummary &
  Readonly<{
    status: CheckedFleet;
    /** The end of the opening in which clusters pull that closes first. */
    windowEnds: Date | undefined;
    /** The estimated end is after the end of that opening. */
    isLate: boolean;
    ends: readonly EndsAt[];
    images: Readonly<{ done: number; total: number }>;
    /** The label of ManagedClusters that groups them; none if they have no such label. */
    siteLabel: string | undefined;
    sites: readonly Site[];
    /** The number of clusters that the filter leaves. */
    found: number;
    panel: ClusterPanel | undefined;
    retryFailed: string | undefined;
  }>;

export type PrecachingView = Readonly<{
  fleets: readonly FleetSummary[];
  filter: PrecachingFilter;
  /** The name of a fleet or cluster in the address that does not exist. */
  missing: string | undefined;
  shown: ShownFleet | undefined;
  /** What was read for the fleets, and what was not. */
  coverage: Coverage;
}>;

function endsOf(clusters: readonly ClusterProgress[]): readonly EndsAt[] {
  const ends = clusters
    .flatMap(({ state, since, imagesDone = 0 }) =>
      isFinalState(state) && since !== undefined ? [{ time: Date.parse(since), imagesDone }] : [],
    )
    .filter(({ time }) => !Number.isNaN(time))
    .sort((a, b) => a.time - b.time);
  const last = new Map<number, EndsAt>();
  let images = 0;
  for (const [index, { time, imagesDone }] of ends.entries()) {
    images += imagesDone;
    last.set(time, { time, ended: index + 1, images });
  }
  return [...last.values()];
}

const sum = (numbers: readonly (number | undefined)[]) =>
  numbers.reduce<number>((total, one) => total + (one ?? 0), 0);

/** Counts the images of all clusters. One that has not reported their number has as many as the others: all pull the same. */
function imagesOf(clusters: readonly ClusterProgress[]): ShownFleet["images"] {
  const usual = clusters.reduce((most, { imagesTotal = 0 }) => Math.max(most, imagesTotal), 0);
  return {
    done: sum(clusters.map(({ imagesDone }) => imagesDone)),
    total: sum(clusters.map(({ imagesTotal = usual }) => imagesTotal)),
  };
}

type Gates = ReturnType<typeof gatesOf>;

function panelOf(
  { status }: Fleet,
  cluster: ClusterProgress,
  site: string | undefined,
  gates: Gates,
): ClusterPanel {
  const group = clusterGroupOf(cluster);
  const gate = gates(cluster.name);
  return {
    cluster,
    group,
    site,
    windows: gate.windows,
    isWindowOpen: gate.isOpen,
    windowChanges: gate.isOpen ? gate.opening?.end : gate.opensAt,
    remedy: remedyOf(cluster),
    retry: group === "failed" ? retryCommand(fleetKey(status), cluster.name) : undefined,
  };
}

function endOfOpening(clusters: readonly ClusterProgress[], gates: Gates): Date | undefined {
  const ends = clusters
    .filter((one) => clusterGroupOf(one) === "pulling")
    .flatMap(({ name }) => {
      const gate = gates(name);
      return gate.isOpen && gate.opening ? [gate.opening.end.getTime()] : [];
    });
  return ends.length > 0 ? new Date(ends.reduce((first, end) => Math.min(first, end))) : undefined;
}

function filterOf({ state, site, reason, by }: Query): PrecachingFilter {
  const group = clusterGroups.find((one) => one === state);
  return {
    ...(group ? { state: group } : {}),
    ...(site ? { site } : {}),
    ...(reason ? { reason } : {}),
    ...(by ? { by } : {}),
  };
}

/** Many fleets name their sites with this label, although nothing on the hub says so. */
const usualLabel = "site";

/** Returns the label that groups clusters: the viewer's, that of the upgrade, or the usual one where clusters have it. */
function groupLabelOf({ cgu }: Fleet, { list }: Snapshot, { by }: PrecachingFilter): string | undefined {
  const own = by ?? siteLabelOf([cgu, ...configsOf(cgu, list(kinds.PreCachingConfig))]);
  if (own) return own;
  const isUsed = list(kinds.ManagedCluster).some(({ metadata }) => metadata.labels?.[usualLabel]);
  return isUsed ? usualLabel : undefined;
}

function shownFleet(fleet: Fleet, snapshot: Snapshot, filter: PrecachingFilter, named?: string): ShownFleet {
  const { now } = snapshot;
  const status = withForecastOf(fleet, snapshot);
  const { clusters, estimatedEnd } = status;
  const siteLabel = groupLabelOf(fleet, snapshot, filter);
  const labelsOf = labelsByCluster(snapshot.list(kinds.ManagedCluster));
  const siteOf = (cluster: string) =>
    siteLabel === undefined ? "all clusters" : (ownValue(labelsOf(cluster), siteLabel) ?? `no ${siteLabel}`);
  const found = clusters.filter(
    (one) =>
      (filter.state === undefined || clusterGroupOf(one) === filter.state) &&
      (filter.reason === undefined || one.reason === filter.reason) &&
      (filter.site === undefined || siteOf(one.name) === filter.site),
  );
  const sites = [...Map.groupBy(found, ({ name }) => siteOf(name))]
    .map(
      ([name, some]): Site => ({
        name,
        total: some.length,
        ended: some.filter(({ state }) => isFinalState(state)).length,
        cells: some.map((one) => ({
          cluster: one.name,
          group: clusterGroupOf(one),
          isSelected: one.name === named,
        })),
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const gates = gatesOf(fleet, snapshot);
  const windowEnds = endOfOpening(clusters, gates);
  const selected = clusters.find(({ name }) => name === named);
  return {
    ...summaryOf(status),
    status: withReadiness(status, snapshot.list(kinds.ReadinessReport), now),
    windowEnds,
    isLate: windowEnds !== undefined && estimatedEnd !== undefined && new Date(estimatedEnd) > windowEnds,
    ends: endsOf(clusters),
    images: imagesOf(clusters),
    siteLabel,
    sites,
    found: found.length,
    panel: selected && panelOf(fleet, selected, siteLabel && siteOf(selected.name), gates),
    retryFailed: clusters.some((one) => clusterGroupOf(one) === "failed")
      ? retryCommand(fleetKey(status))
      : undefined,
  };
}

/**
 * Returns the page of pre-caching: the fleet that the address names, else the first with something left to do, as a grid
 * of its clusters by site; the side panel of the cluster that the address names.
 */
export function precachingView(snapshot: Snapshot, query: Query): PrecachingView {
  const fleets = fleetsByUrgency(snapshot);
  const filter = filterOf(query);
  const { upgrade, cluster } = query;
  const fleet = upgrade ? fleets.find(({ status }) => fleetKey(status) === upgrade) : fleets[0];
  const shown = fleet && shownFleet(fleet, snapshot, filter, cluster);
  const isClusterMissing = Boolean(shown && cluster && !shown.panel);
  return {
    fleets: fleets.map(({ status }) => summaryOf(status)),
    filter,
    missing: upgrade && !fleet ? upgrade : isClusterMissing ? cluster : undefined,
    shown,
    coverage: coverageOfFleets(fleets),
  };
}
