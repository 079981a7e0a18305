import type { KubernetesObject } from "../../kubernetes/object.ts";
import { durationText } from "../../windows/duration.ts";
import type { Gate } from "../../windows/gate.ts";
import { type Bandwidths, secondsFor } from "./bandwidth.ts";
import { bandwidthAnnotations } from "./bandwidth-annotations.ts";
import { siteLabelOf } from "./concurrency.ts";
import type { Records } from "./precaching-report.ts";
import { architectureOf, reportedTotals } from "./reported-totals.ts";

/** What a cluster has still to pull, and how long that takes at least: when nobody else uses its link. */
export type RemainingDownload = Readonly<{
  bytes: number;
  mbit: number;
  seconds: number;
  /** The site whose clusters share one link, where the bandwidth is a site's. */
  site?: string;
}>;

type Labels = Readonly<Record<string, string>> | undefined;
type Link = Readonly<{ mbit: number; site?: string }>;

function linkOf(site: string | undefined, { elsewhere, bySite }: Bandwidths): Link | undefined {
  const ofSite = site === undefined ? undefined : bySite.get(site);
  if (site !== undefined && ofSite !== undefined) return { mbit: ofSite, site };
  return elsewhere === undefined ? undefined : { mbit: elsewhere };
}

function linksOf(
  windowReferrers: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => Link | undefined {
  const { bandwidths } = bandwidthAnnotations(windowReferrers);
  const siteLabel = siteLabelOf(windowReferrers);
  return (cluster) =>
    linkOf(siteLabel === undefined ? undefined : labelsOf(cluster)?.[siteLabel], bandwidths);
}

/** The Mbit/s to each cluster, as the objects tell it; undefined for one of which nothing is said. */
export function bandwidthsOf(
  windowReferrers: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => number | undefined {
  const links = linksOf(windowReferrers, labelsOf);
  return (cluster) => links(cluster)?.mbit;
}

/**
 * The rest of each cluster, as far as it is known: from a bandwidth on the objects, and from what a run of this content
 * has told, its own or, for the total, that of another cluster of the architecture. Undefined while nobody has told.
 */
export function remainingDownloads(
  windowReferrers: readonly KubernetesObject[],
  records: Records,
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => RemainingDownload | undefined {
  const links = linksOf(windowReferrers, labelsOf);
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

const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

/** Of a rest that is longer than this part of an opening no opening is sure to be long enough. */
const wholeOpening = 0.9;

/** A link gives everybody on it the same: who has as much to pull takes as long, who has less is done before. */
function secondsBeside(
  { bytes, mbit, seconds }: RemainingDownload,
  others: readonly RemainingDownload[],
): number {
  const theirs = others.reduce((sum, other) => sum + Math.min(other.bytes, bytes), 0);
  return seconds + secondsFor(theirs, mbit);
}

/**
 * Why a cluster neither starts nor goes on in what is left of an opening, although it is open; undefined when it may.
 * `others` are the rests that are being pulled through its link. What fits the next opening waits for it. What is
 * longer than the opening itself starts in its first half, when nobody else is on the link: it goes on in the next
 * one, and would else never begin. A rest that is not known holds nothing back.
 */
export function tooLate(
  gate: Gate,
  rest: RemainingDownload | undefined,
  now: Date,
  others: readonly RemainingDownload[] = [],
): string | undefined {
  if (!gate.isOpen || !gate.opening || !rest) return undefined;
  const { start, end } = gate.opening;
  const left = end.getTime() - now.getTime();
  const whole = end.getTime() - start.getTime();
  const busy = others.filter(({ bytes }) => bytes > 0);
  const needed = secondsBeside(rest, busy) * 1000;
  if (needed <= left) return undefined;
  const isLong = rest.seconds * 1000 > whole * wholeOpening;
  if (isLong && left >= whole / 2 && busy.length === 0) return undefined;
  const beside =
    busy.length > 0 ? ` beside ${busy.length} more of the site ${rest.site}, whose link it is` : "";
  const until = busy.length > 0 ? "them, or for the next opening" : "the next opening";
  return `${gate.windows.join(", ")} closes in ${durationText(left)}, and the ${gib(rest.bytes)} that are missing need ${durationText(needed)} at ${rest.mbit} Mbit/s${beside}: it waits for ${until}.`;
}

/** What is being pulled through the links that the clusters of a site share. */
export type SharedLinks = Readonly<{
  /** The cluster pulls, from now on. */
  use(cluster: string): void;
  /** What others pull through its link; nothing where the link is its own. */
  besides(cluster: string): readonly RemainingDownload[];
}>;

/** Links that nobody uses yet. A cluster whose rest is not known counts for nothing on one. */
export function sharedLinks(
  remainingDownloadOf: (cluster: string) => RemainingDownload | undefined,
): SharedLinks {
  const bySite = new Map<string, Map<string, RemainingDownload>>();
  return {
    use(cluster) {
      const rest = remainingDownloadOf(cluster);
      if (rest?.site === undefined) return;
      const link = bySite.get(rest.site) ?? new Map<string, RemainingDownload>();
      link.set(cluster, rest);
      bySite.set(rest.site, link);
    },
    besides(cluster) {
      const site = remainingDownloadOf(cluster)?.site;
      const link = site === undefined ? undefined : bySite.get(site);
      return [...(link ?? [])].flatMap(([other, rest]) => (other === cluster ? [] : [rest]));
    },
  };
}
