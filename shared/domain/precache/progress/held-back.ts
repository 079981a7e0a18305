import type { KubernetesObject } from "../../kubernetes/object.ts";
import { gatekeeper } from "../../windows/gate.ts";
import { isFinalState } from "../model/cluster-state.ts";
import { configsOf } from "../plan/values/pre-caching-config.ts";
import { isPulling } from "./cluster-record.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";
import type { Records } from "./precaching-report.ts";
import { remainingDownloads, sharedLinks, tooLate } from "./remaining-download.ts";

/** The objects that determine which windows decide about clusters. */
export type WindowSources = Readonly<{
  /** The MaintenanceWindows. */
  windows: readonly KubernetesObject[];
  /** PreCachingConfigs of any upgrades. */
  configs: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
}>;

export const noWindows: WindowSources = { windows: [], configs: [], managedClusters: [] };

/**
 * Returns why windows prevent a cluster from starting or continuing at `now`, as text; undefined for one that pulls
 * or has ended, and when no window restricts it.
 */
export function heldBackBy(
  cgu: KubernetesObject,
  { clusters, states }: Pick<PlannedUpgrade, "clusters" | "states">,
  records: Records,
  { windows, configs, managedClusters }: WindowSources,
  now: Date,
): (cluster: string) => string | undefined {
  if (windows.length === 0) return () => undefined;
  const labels = new Map(managedClusters.map(({ metadata }) => [metadata.name, metadata.labels]));
  const labelsOf = (cluster: string) => labels.get(cluster);
  const windowReferrers = [cgu, ...configsOf(cgu, configs)];
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, now);
  const remainingDownloadOf = remainingDownloads(windowReferrers, records, labelsOf);
  const links = sharedLinks(remainingDownloadOf);
  const isPullingNow = (cluster: string) => isPulling(states[cluster], records.get(cluster));
  for (const cluster of clusters) if (isPullingNow(cluster)) links.use(cluster);
  return (cluster) => {
    if (isPullingNow(cluster) || isFinalState(states[cluster])) return undefined;
    const decisive = gate(windowReferrers, labelsOf(cluster));
    if (!decisive.isOpen) return `${decisive.reason}.`;
    return tooLate(decisive, remainingDownloadOf(cluster), now, links.besides(cluster));
  };
}
