import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isPulling, type Records } from "../precache-model/cluster-record.ts";
import { isFinalState } from "../precache-model/cluster-state.ts";
import { labelsByCluster, type PlannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { configsOf } from "../precache-model/upgrade-spec.ts";
import { type Gate, type Gatekeeper, gatekeeper } from "../windows/gate.ts";
import {
  type RemainingDownload,
  remainingDownloads,
  type SharedLinks,
  sharedLinks,
  tooLate,
} from "./remaining-download.ts";

/** The effect of maintenance windows and site links on each cluster of an upgrade at one time. */
export type ClusterGates = Readonly<{
  gateOf(cluster: string): Gate;
  /** Returns the remaining download; undefined when it is unknown. */
  remainingDownloadOf(cluster: string): RemainingDownload | undefined;
  /**
   * Returns why the rest of an opening is too short for a cluster, next to those that pull. Undefined when the cluster
   * may start or continue, and when its windows are closed.
   */
  tooLateFor(cluster: string): string | undefined;
  /** Counts a cluster as pulling in later results about other clusters. */
  pulls(cluster: string): void;
}>;

/** Returns the gates of clusters at `now`, on links with downloads in progress. */
export function gatesOnLinks(
  gateOf: ClusterGates["gateOf"],
  remainingDownloadOf: ClusterGates["remainingDownloadOf"],
  links: SharedLinks,
  now: Date,
): ClusterGates {
  return {
    gateOf,
    remainingDownloadOf,
    tooLateFor: (cluster) =>
      tooLate(gateOf(cluster), remainingDownloadOf(cluster), now, links.besides(cluster)),
    pulls: (cluster) => links.use(cluster),
  };
}

/**
 * Returns the gates of an upgrade's clusters. `annotatedObjects` are those whose annotations name windows, bandwidths
 * and the label of sites.
 */
export function clusterGates({
  annotatedObjects,
  upgrade: { clusters, states },
  records,
  labelsOf,
  gate,
  now,
}: Readonly<{
  annotatedObjects: readonly KubernetesObject[];
  upgrade: Pick<PlannedUpgrade, "clusters" | "states">;
  records: Records;
  labelsOf(cluster: string): Readonly<Record<string, string>> | undefined;
  gate: Gatekeeper;
  now: Date;
}>): ClusterGates {
  const remainingDownloadOf = remainingDownloads(annotatedObjects, records, labelsOf);
  const links = sharedLinks(remainingDownloadOf);
  for (const cluster of clusters)
    if (isPulling(ownValue(states, cluster), records.get(cluster))) links.use(cluster);
  const gateOf = (cluster: string) => gate(annotatedObjects, labelsOf(cluster));
  return gatesOnLinks(gateOf, remainingDownloadOf, links, now);
}

/** Returns why windows keep a cluster from starting or continuing now; undefined when they do not. */
export function windowObstacle(cluster: string, gates: ClusterGates): string | undefined {
  const gate = gates.gateOf(cluster);
  return gate.isOpen ? gates.tooLateFor(cluster) : `${gate.reason}.`;
}

/** The objects that determine which windows decide about clusters. */
export type WindowSources = Readonly<{
  windows: readonly KubernetesObject[];
  /** May include PreCachingConfigs that the upgrade does not name; these are ignored. */
  configs: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
}>;

export const noWindows: WindowSources = { windows: [], configs: [], managedClusters: [] };

/**
 * Returns why windows keep a cluster from starting or continuing at `now`, as text; undefined when they do not, and for
 * a cluster that pulls or has ended.
 */
export function heldBackBy(
  cgu: KubernetesObject,
  upgrade: Pick<PlannedUpgrade, "clusters" | "states">,
  records: Records,
  { windows, configs, managedClusters }: WindowSources,
  now: Date,
): (cluster: string) => string | undefined {
  if (windows.length === 0) return () => undefined;
  const gates = clusterGates({
    annotatedObjects: [cgu, ...configsOf(cgu, configs)],
    upgrade,
    records,
    labelsOf: labelsByCluster(managedClusters),
    gate: gatekeeper(windows, ({ allow }) => allow.preCaching, { now }),
    now,
  });
  return (cluster) => {
    const state = ownValue(upgrade.states, cluster);
    if (isPulling(state, records.get(cluster)) || isFinalState(state)) return undefined;
    return windowObstacle(cluster, gates);
  };
}
