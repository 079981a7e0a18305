import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isPulling, type Records } from "../precache-model/cluster-record.ts";
import type { PlannedUpgrade } from "../precache-model/planned-upgrade.ts";
import type { Gate, Gatekeeper } from "../windows/gate.ts";
import {
  type RemainingDownload,
  remainingDownloads,
  type SharedLinks,
  sharedLinks,
  tooLate,
} from "./remaining-download.ts";

/** What maintenance windows and the links of sites mean now for each cluster of an upgrade. */
export type ClusterGates = Readonly<{
  gateOf(cluster: string): Gate;
  /** The remaining download, if it is known. */
  remainingDownloadOf(cluster: string): RemainingDownload | undefined;
  /**
   * Returns why the rest of an opening is too short for a cluster, next to those that pull; undefined when it may start
   * or continue, and when its windows are closed.
   */
  tooLateFor(cluster: string): string | undefined;
  /** Counts a cluster among those that pull, for the clusters that are asked about after it. */
  pulls(cluster: string): void;
}>;

/** Returns the gates of clusters at `now`, on links that others use already. */
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
  /** The labels of a ManagedCluster. */
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
