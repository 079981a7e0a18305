import type { Coverage } from "#shared/domain/issues/coverage.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { isOver } from "#shared/domain/precache-plan/plan-all.ts";
import { enforcedByUpgrade } from "#shared/domain/precache-plan/policy-enforcement.ts";
import { type CheckedFleet, fleetSources } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  type ClusterGroup,
  clusterGroupOf,
  clusterGroups,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import {
  clusterStories,
  remedyOf,
  retryCommand,
} from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import type { ClusterProgress, FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import type { ClusterForecast } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { rolloutTime } from "#shared/domain/precache-start/rollout/hand-back.ts";
import { withReadiness } from "#shared/domain/ready/record/fleet-readiness.ts";
import type { Gate } from "#shared/domain/windows/gate.ts";
import {
  coverageOfFleets,
  type Fleet,
  type FleetGates,
  type FleetSites,
  type FleetSummary,
  fleetKey,
  fleetsByUrgency,
  gatesOfFleets,
  type SiteReason,
  siteReasonOf,
  sitesOfFleets,
  summaryOf,
  withForecastOf,
} from "./fleet-summaries.ts";
import type { Query, Snapshot } from "./snapshot.ts";

export type Cell = Readonly<{ cluster: string; group: ClusterGroup; isSelected: boolean }>;
export type Site = Readonly<{ name: string; total: number; ended: number; cells: readonly Cell[] }>;

/** A time in milliseconds since 1970, and the number of clusters that had ended by then. */
export type EndsAt = Readonly<{ time: number; ended: number }>;

/** The time by which the clusters should have their images, and what happens at that time. */
export type Deadline = Readonly<{ at: Date; what: "the rollout begins" | "the window closes" }>;

export type PrecachingFilter = Readonly<{
  state?: ClusterGroup;
  site?: string;
  reason?: string;
  /** A label of ManagedClusters. Its values are the sites. */
  by?: string;
}>;

/** A fleet's ended clusters over time (`ends`), and the forecast for the others (in `status`). */
export type FleetForecast<Status extends FleetStatus = FleetStatus> = Readonly<{
  status: Status;
  deadline: Deadline | undefined;
  /** True if a cluster misses the deadline or is expected to miss it. */
  isLate: boolean;
  ends: readonly EndsAt[];
}>;

export type ShownFleet = FleetSummary &
  FleetForecast<CheckedFleet> &
  Readonly<{
    /** The failed clusters that match the filter, sorted by reason. */
    failed: readonly FailedCluster[];
    /** The reasons that need a person, except failures. */
    attention: readonly SiteReason[];
    waits: readonly SiteReason[];
    /** A label of ManagedClusters. Its values are the sites. Undefined if no such label is known. */
    siteLabel: string | undefined;
    sites: readonly Site[];
    found: number;
    panel: ClusterPanel | undefined;
    retryFailed: string | undefined;
  }>;

/** A failed cluster. `retry` is the command that retries it. */
export type FailedCluster = Pick<ClusterProgress, "name" | "reason" | "message" | "since"> &
  Readonly<{ site: string; remedy: string; retry: string }>;

export type PrecachingView = Readonly<{
  fleets: readonly Pick<FleetSummary, "key" | "total" | "ended">[];
  filter: PrecachingFilter;
  /** The name in the address, if there is no such fleet or cluster; otherwise undefined. */
  missing: string | undefined;
  shown: ShownFleet | undefined;
  coverage: Coverage;
}>;

function endsOf(clusters: readonly ClusterProgress[]): readonly EndsAt[] {
  const times = clusters
    .flatMap(({ state, since }) => (isFinalState(state) && since !== undefined ? [Date.parse(since)] : []))
    .filter((time) => !Number.isNaN(time))
    .sort((a, b) => a - b);
  return [...new Map(times.map((time, index) => [time, index + 1]))].map(([time, ended]) => ({
    time,
    ended,
  }));
}

function endOfOpening(clusters: readonly ClusterProgress[], gates: FleetGates): Date | undefined {
  const ends = clusters
    .filter((one) => clusterGroupOf(one) === "pulling")
    .flatMap(({ name }) => {
      const gate = gates(name);
      return gate.isOpen && gate.opening ? [gate.opening.end.getTime()] : [];
    });
  return ends.length > 0 ? new Date(ends.reduce((first, end) => Math.min(first, end))) : undefined;
}

function deadlineOf({ cgu, status }: Fleet, snapshot: Snapshot, gates: FleetGates) {
  const rollout = rolloutTime(cgu, fleetSources(snapshot.list), snapshot);
  if (rollout && rollout > snapshot.now) return { at: rollout, what: "the rollout begins" } as const;
  const closes = endOfOpening(status.clusters, gates);
  return closes && ({ at: closes, what: "the window closes" } as const);
}

/** Returns the forecast of a fleet, and its deadline. */
export function forecastOfFleet(fleet: Fleet, snapshot: Snapshot, gates: FleetGates): FleetForecast {
  const deadline = deadlineOf(fleet, snapshot, gates);
  const status = withForecastOf(fleet, snapshot, deadline?.at);
  return {
    status,
    deadline,
    isLate: deadline !== undefined && (status.forecast?.late ?? 0) > 0,
    ends: endsOf(status.clusters),
  };
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

function siteList(
  found: readonly ClusterProgress[],
  { siteOf }: FleetSites,
  named?: string,
): readonly Site[] {
  return [...Map.groupBy(found, ({ name }) => siteOf(name))]
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
}

const onlyWaits: ReadonlySet<ClusterGroup> = new Set(["waiting", "outside its window"]);

function failedOf(
  found: readonly ClusterProgress[],
  key: string,
  { siteOf }: FleetSites,
): readonly FailedCluster[] {
  return found
    .filter((one) => clusterGroupOf(one) === "failed")
    .map(({ name, reason, message, since }) => ({
      ...{ name, reason, message, ...(since === undefined ? {} : { since }) },
      ...{ site: siteOf(name), remedy: remedyOf({ reason }), retry: retryCommand(key, name) },
    }))
    .sort((a, b) => byCodeUnit(a.reason, b.reason) || byCodeUnit(a.name, b.name));
}

function shownFleet(
  fleet: Fleet,
  others: readonly Fleet[],
  snapshot: Snapshot,
  filter: PrecachingFilter,
  named?: string,
): ShownFleet {
  const gates = gatesOfFleets(snapshot)(fleet);
  const forecast = forecastOfFleet(fleet, snapshot, gates);
  const { status } = forecast;
  const { clusters } = status;
  const places = sitesOfFleets(snapshot)(fleet, filter.by);
  const found = clusters.filter(
    (one) =>
      (filter.state === undefined || clusterGroupOf(one) === filter.state) &&
      (filter.reason === undefined || one.reason === filter.reason) &&
      (filter.site === undefined || places.siteOf(one.name) === filter.site),
  );
  const summary = summaryOf(status);
  const reasons = summary.reasons.map((reason) => siteReasonOf(reason, clusters, places));
  const selected = clusters.find(({ name }) => name === named);
  return {
    ...summary,
    ...forecast,
    status: withReadiness(status, snapshot.list(kinds.ReadinessReport)),
    failed: failedOf(found, summary.key, places),
    attention: reasons.filter(({ group }) => group !== "failed" && !onlyWaits.has(group)),
    waits: reasons.filter(({ group }) => onlyWaits.has(group)),
    siteLabel: places.label,
    sites: siteList(found, places, named),
    found: found.length,
    panel:
      selected &&
      clusterPanelOf(selected, status, {
        site: places.label && places.siteOf(selected.name),
        gate: gates(selected.name),
        others: others.map((other) => other.status),
      }),
    retryFailed: clusters.some((one) => clusterGroupOf(one) === "failed")
      ? retryCommand(fleetKey(status))
      : undefined,
  };
}

/** Returns the content of the pre-caching page, for the fleet and cluster that the address names. */
export function precachingView(snapshot: Snapshot, query: Query): PrecachingView {
  const fleets = fleetsByUrgency(snapshot);
  const filter = filterOf(query);
  const { upgrade, cluster } = query;
  const fleet = upgrade ? fleets.find(({ status }) => fleetKey(status) === upgrade) : fleets[0];
  const others = fleets.filter((one) => one !== fleet);
  const shown = fleet && shownFleet(fleet, others, snapshot, filter, cluster);
  const isClusterMissing = Boolean(shown && cluster && !shown.panel);
  return {
    fleets: fleets.map(({ status: { total, ended, ...of } }) => ({ key: fleetKey(of), total, ended })),
    filter,
    missing: upgrade && !fleet ? upgrade : isClusterMissing ? cluster : undefined,
    shown,
    coverage: coverageOfFleets(
      fleets,
      fleet && !isOver(fleet.cgu) ? enforcedByUpgrade(fleet.cgu, snapshot.list(kinds.ManagedCluster)) : [],
    ),
  };
}

/** How the pre-caching of a cluster ended in another upgrade. */
export type EarlierEnd = Readonly<{ upgrade: string; group: ClusterGroup; since: string }>;

/** The content of the side panel about a cluster. */
export type ClusterPanel = Readonly<{
  cluster: ClusterProgress;
  group: ClusterGroup;
  site: string | undefined;
  /** The windows in which the cluster may pull images. Empty if it may always do so. */
  windows: readonly string[];
  isWindowOpen: boolean;
  /** When the cluster's open window closes or, if none is open, the next one opens; undefined if that never happens. */
  windowChanges: Date | undefined;
  forecast: ClusterForecast | undefined;
  earlier: readonly EarlierEnd[];
  /** How a person can help; empty if the cluster only needs to wait. */
  remedy: string;
  retry: string | undefined;
}>;

/** Returns the details of a cluster in a fleet. `others` are the other fleets. */
export function clusterPanelOf(
  cluster: ClusterProgress,
  status: FleetStatus,
  { site, gate, others }: Readonly<{ site: string | undefined; gate: Gate; others: readonly FleetStatus[] }>,
): ClusterPanel {
  const group = clusterGroupOf(cluster);
  return {
    cluster,
    group,
    site,
    windows: gate.windows,
    isWindowOpen: gate.isOpen,
    windowChanges: gate.isOpen ? gate.opening?.end : gate.opensAt,
    forecast: status.forecast?.byCluster.find(({ name }) => name === cluster.name),
    earlier: clusterStories(others, cluster.name).flatMap(({ progress, ...of }) =>
      progress?.since && ["done", "failed"].includes(clusterGroupOf(progress))
        ? [{ upgrade: fleetKey(of), group: clusterGroupOf(progress), since: progress.since }]
        : [],
    ),
    remedy: remedyOf(cluster),
    retry: group === "failed" ? retryCommand(fleetKey(status), cluster.name) : undefined,
  };
}
