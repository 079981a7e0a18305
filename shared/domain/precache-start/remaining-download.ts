import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Records } from "../precache-model/cluster-record.ts";
import { architectureOf, reportedTotals, siteLabelOf } from "../precache-model/planned-upgrade.ts";
import { byteSize, durationText } from "../text/human-readable.ts";
import { sentence } from "../text/redact.ts";
import type { Gate } from "../windows/gate.ts";
import { type Bandwidths, bandwidthAnnotations, secondsFor } from "./limits.ts";

/** The remaining download of a cluster, and its minimum duration: on a link without other downloads. */
export type RemainingDownload = Readonly<{
  bytes: number;
  mbit: number;
  seconds: number;
  /** The site whose clusters share the link; absent unless the bandwidth is that of a site. */
  site?: string;
}>;

type Labels = Readonly<Record<string, string>> | undefined;
type Link = Readonly<{ mbit: number; site?: string }>;

function linkOf(site: string | undefined, { elsewhere, bySite }: Bandwidths): Link | undefined {
  const ofSite = site === undefined ? undefined : bySite.get(site);
  if (site !== undefined && ofSite !== undefined) return { mbit: ofSite, site };
  return elsewhere === undefined ? undefined : { mbit: elsewhere };
}

/** Returns the link of each cluster from the annotations of these objects; undefined without a bandwidth. */
export function linksOf(
  objects: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => Link | undefined {
  const { bandwidths } = bandwidthAnnotations(objects);
  const siteLabel = siteLabelOf(objects);
  return (cluster) =>
    linkOf(siteLabel === undefined ? undefined : ownValue(labelsOf(cluster), siteLabel), bandwidths);
}

/** Returns the Mbit/s of each cluster's link from the annotations of these objects; undefined without a bandwidth. */
export function bandwidthsOf(
  objects: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => number | undefined {
  const links = linksOf(objects, labelsOf);
  return (cluster) => links(cluster)?.mbit;
}

/**
 * Returns the remaining download of each cluster, from the bandwidth in an annotation of the objects and the reported bytes;
 * undefined when either is missing. A cluster that has reported no total gets that of another of its architecture.
 */
export function remainingDownloads(
  objects: readonly KubernetesObject[],
  records: Records,
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => RemainingDownload | undefined {
  const links = linksOf(objects, labelsOf);
  const totals = reportedTotals(records, labelsOf);
  return (cluster) => {
    const { bytesTotal = 0, bytesDone = 0 } = records.get(cluster) ?? {};
    const total = Math.max(bytesTotal, totals.get(architectureOf(labelsOf(cluster))) ?? 0);
    const link = links(cluster);
    if (total === 0 || link === undefined) return undefined;
    const bytes = Math.max(0, total - bytesDone);
    return { ...link, bytes, seconds: secondsFor(bytes, link.mbit) };
  };
}

/** A download that takes longer than this part of an opening may not fit into any opening. */
const wholeOpening = 0.9;

/** Clusters share a link equally: another cluster delays this one by at most the bytes that this one pulls. */
function secondsBeside(
  { bytes, mbit, seconds }: RemainingDownload,
  others: readonly RemainingDownload[],
): number {
  const theirs = others.reduce((sum, other) => sum + Math.min(other.bytes, bytes), 0);
  return seconds + secondsFor(theirs, mbit);
}

/**
 * Returns why a cluster neither starts nor continues in the rest of an opening; undefined when it may. `others` are the
 * downloads in progress on its link. A download that fits into the next opening waits for it. A download that is longer
 * than an opening starts in its first half, when no other cluster uses the link, and continues in the next opening: it
 * would otherwise never start. An unknown download is not held back.
 */
export function tooLate(
  gate: Gate,
  remaining: RemainingDownload | undefined,
  now: Date,
  others: readonly RemainingDownload[] = [],
): string | undefined {
  if (!gate.isOpen || !gate.opening || !remaining) return undefined;
  const { start, end } = gate.opening;
  const left = end.getTime() - now.getTime();
  const whole = end.getTime() - start.getTime();
  const busy = others.filter(({ bytes }) => bytes > 0);
  const needed = secondsBeside(remaining, busy) * 1000;
  if (needed <= left) return undefined;
  const isLong = remaining.seconds * 1000 > whole * wholeOpening;
  if (isLong && left >= whole / 2 && busy.length === 0) return undefined;
  const beside =
    busy.length > 0 ? sentence` beside ${busy.length} more of site ${remaining.site} on the same link` : "";
  const until = busy.length > 0 ? "them, or for the next opening" : "the next opening";
  return sentence`${gate.windows.join(", ")} closes in ${durationText(left)}, and the remaining ${byteSize(remaining.bytes)} need ${durationText(needed)} at ${remaining.mbit} Mbit/s${beside}: it waits for ${until}.`;
}

/** The downloads in progress on the links that the clusters of a site share. */
export type SharedLinks = Readonly<{
  use(cluster: string): void;
  leave(cluster: string): void;
  /** Returns the downloads of other clusters on the cluster's link; empty for a link that is not shared. */
  besides(cluster: string): readonly RemainingDownload[];
}>;

/** Returns links without downloads. A cluster whose remaining download is unknown does not count. */
export function sharedLinks(
  remainingDownloadOf: (cluster: string) => RemainingDownload | undefined,
): SharedLinks {
  const bySite = new Map<string, Set<string>>();
  const linkOfCluster = (cluster: string) => {
    const site = remainingDownloadOf(cluster)?.site;
    return site === undefined ? undefined : bySite.get(site);
  };
  return {
    use(cluster) {
      const site = remainingDownloadOf(cluster)?.site;
      if (site !== undefined) bySite.set(site, (bySite.get(site) ?? new Set()).add(cluster));
    },
    leave: (cluster) => {
      linkOfCluster(cluster)?.delete(cluster);
    },
    besides: (cluster) =>
      [...(linkOfCluster(cluster) ?? [])].flatMap((other) =>
        other === cluster ? [] : (remainingDownloadOf(other) ?? []),
      ),
  };
}
