import type { KubernetesObject } from "../../kubernetes/object.ts";
import { gatekeeper } from "../../windows/gate.ts";
import { isFinalState } from "../model/cluster-state.ts";
import { configsOf } from "../plan/values/pre-caching-config.ts";
import { isPulling } from "./cluster-record.ts";
import type { PlannedUpgrade } from "./planned-upgrade.ts";
import type { Records } from "./precaching-report.ts";
import { remainingDownloads, sharedLinks, tooLate } from "./remaining-download.ts";

/** What it takes to tell which windows decide about clusters, and how. */
export type WindowSources = Readonly<{
  /** The MaintenanceWindows. */
  windows: readonly KubernetesObject[];
  /** PreCachingConfigs, of whatever upgrades. */
  configs: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
}>;

export const noWindows: WindowSources = { windows: [], configs: [], managedClusters: [] };

/**
 * Why windows keep a cluster of an upgrade from beginning or going on at `now`, for a person; undefined for one that is
 * at work or has ended, and where no window keeps it back.
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
  const isAtWork = (cluster: string) => isPulling(states[cluster], records.get(cluster));
  for (const cluster of clusters) if (isAtWork(cluster)) links.use(cluster);
  return (cluster) => {
    if (isAtWork(cluster) || isFinalState(states[cluster])) return undefined;
    const decisive = gate(windowReferrers, labelsOf(cluster));
    if (!decisive.isOpen) return `${decisive.reason}.`;
    return tooLate(decisive, remainingDownloadOf(cluster), now, links.besides(cluster));
  };
}
