import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { architectureOf, type labelsByCluster } from "../../precache-model/planned-upgrade.ts";
import {
  linksOf,
  type RemainingDownload,
  remainingDownloads,
  type SharedLinks,
  sharedLinks,
} from "../../precache-start/remaining-download.ts";
import { type Downloads, noDownloads, type Speed } from "./downloads.ts";
import type { Pulled } from "./simulated-run.ts";

/** The assumptions about clusters; undefined means unknown. */
export type Assumed = Readonly<{
  bytesTotalOf(cluster: string): number | undefined;
  speedOf(cluster: string): Speed | undefined;
  /** The time from a slot until the cluster pulls. */
  startMs: number;
}>;

/** The downloads of simulated clusters, and their links. */
export type SimulatedPulls = Pick<Downloads, "nextEnd" | "complete"> &
  Readonly<{
    links: SharedLinks;
    /** Returns the site whose clusters share the link of a cluster; undefined for a link that is not shared. */
    siteOf(cluster: string): string | undefined;
    pulledBy(cluster: string): Pulled;
    /** Returns the remaining download on which decisions depend, after an update of the bytes in the cluster's record. */
    remainingDownloadOf(cluster: string): RemainingDownload | undefined;
    /** Notes the total of a cluster's record: the first total counts for all clusters of the architecture. */
    learnTotal(cluster: string): void;
    begin(cluster: string, bytes: number, speed: Speed): void;
    /** Ends the download of a cluster, if any, and its use of the link. */
    stop(cluster: string): void;
  }>;

/** Returns the downloads of clusters with these records, and updates the records; `now` returns the simulated time. */
export function simulatedPulls(
  records: Map<string, ClusterRecord>,
  annotatedObjects: readonly KubernetesObject[],
  labelsOf: ReturnType<typeof labelsByCluster>,
  { bytesTotalOf }: Assumed,
  now: () => Date,
): SimulatedPulls {
  const downloads = noDownloads();
  const linkOf = linksOf(annotatedObjects, labelsOf);
  const knownTotals = new Map<string, number>();
  const remaining = () => remainingDownloads(annotatedObjects, records, labelsOf);
  let remainingOf = remaining();
  const leftOf = (cluster: string) => downloads.left(cluster, now().getTime());
  const pulledBy = (cluster: string): Pulled => {
    const { bytesDone = 0 } = records.get(cluster) ?? {};
    const bytesTotal = bytesTotalOf(cluster);
    const left = leftOf(cluster);
    const isKnown = left !== undefined && bytesTotal !== undefined;
    return { bytesDone: isKnown ? bytesTotal - left : bytesDone, bytesTotal };
  };
  const remainingDownloadOf = (cluster: string) => {
    const record = records.get(cluster);
    if (record && leftOf(cluster) !== undefined)
      records.set(cluster, { ...record, bytesDone: pulledBy(cluster).bytesDone });
    return remainingOf(cluster);
  };
  const links = sharedLinks(remainingDownloadOf);
  return {
    links,
    siteOf: (cluster) => linkOf(cluster)?.site,
    pulledBy,
    remainingDownloadOf,
    learnTotal(cluster) {
      const architecture = architectureOf(labelsOf(cluster));
      const total = records.get(cluster)?.bytesTotal ?? 0;
      if (total <= (knownTotals.get(architecture) ?? 0)) return;
      knownTotals.set(architecture, total);
      remainingOf = remaining();
    },
    begin: (cluster, bytes, speed) => downloads.begin(cluster, bytes, speed, now().getTime()),
    stop(cluster) {
      links.leave(cluster);
      downloads.stop(cluster, now().getTime());
    },
    nextEnd: downloads.nextEnd,
    complete: downloads.complete,
  };
}
