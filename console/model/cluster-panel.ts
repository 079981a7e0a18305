import { type ClusterGroup, clusterGroupOf } from "#shared/domain/precache-progress/fleet/cluster-group.ts";
import {
  clusterStories,
  remedyOf,
  retryCommand,
} from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import type { ClusterProgress, FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import type { ClusterForecast } from "#shared/domain/precache-progress/forecast/forecast.ts";
import type { Gate } from "#shared/domain/windows/gate.ts";
import { fleetKey } from "./fleet-summaries.ts";

/** How a cluster ended in another upgrade. */
export type EarlierEnd = Readonly<{ upgrade: string; group: ClusterGroup; since: string }>;

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
  /** When it has its images; undefined when no forecast was made. */
  forecast: ClusterForecast | undefined;
  /** Where it has been pre-cached for other upgrades. */
  earlier: readonly EarlierEnd[];
  /** What a person does about its reason; empty where there is nothing to do but to wait. */
  remedy: string;
  /** For a cluster that has ended without success. */
  retry: string | undefined;
}>;

/** Returns the story of a cluster in a fleet; `others` are the other fleets. */
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
