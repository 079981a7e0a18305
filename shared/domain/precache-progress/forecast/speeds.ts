import { ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { siteLabelOf } from "../../precache-model/planned-upgrade.ts";
import type { CompletePull } from "../../precache-model/precaching-report.ts";
import { linksOf } from "../../precache-start/limits.ts";
import type { Speed } from "./downloads.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** The expected speed of a cluster, its slowest likely speed, and the source of both. */
export type KnownSpeed = Readonly<{
  expected: Speed;
  slow: Speed;
  source: "runs at its site" | "bandwidth" | "runs at other sites";
}>;

type Learned = Readonly<{ mbit: number; slowest: number; runs: number; throughput: number }>;

const mbitOf = (bytes: number, ms: number): number => (bytes * 8) / (ms * 1000);

const timesOf = ({ from, until }: CompletePull) => ({ from: Date.parse(from), until: Date.parse(until) });

/** Times in which several pulls were in progress count once. */
function busyMs(pulls: readonly CompletePull[]): number {
  let busy = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, until } of pulls.map(timesOf).sort((a, b) => a.from - b.from)) {
    busy += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return busy;
}

/** The mean is bytes by time, not the mean of speeds: a fleet's download takes the sum of the times. */
function learnedFrom(pulls: readonly CompletePull[]): Learned | undefined {
  if (pulls.length === 0) return undefined;
  const bytes = pulls.reduce((sum, one) => sum + one.bytes, 0);
  const times = pulls.map((one) => {
    const { from, until } = timesOf(one);
    return { ms: until - from, bytes: one.bytes };
  });
  const ms = times.reduce((sum, one) => sum + one.ms, 0);
  const slowest = Math.min(...times.map((one) => mbitOf(one.bytes, one.ms)));
  return { mbit: mbitOf(bytes, ms), slowest, runs: pulls.length, throughput: mbitOf(bytes, busyMs(pulls)) };
}

/** Fewer runs do not show the slowest likely speed. */
const minRuns = 5;
/** Slow-down factor assumed when a speed's variation is unknown. */
const usualSlow = 0.8;
/** The next run may be slower than the slowest of a few; a run at under half the mean speed has another cause. */
const slowOf = ({ mbit, slowest, runs }: Learned): number =>
  runs < minRuns ? mbit * usualSlow : Math.max(slowest, mbit / 2) * 0.9;

function known(mbit: number, slow: number, source: KnownSpeed["source"], link?: string): KnownSpeed {
  const shared = link === undefined ? {} : { link };
  return { expected: { mbit, ...shared }, slow: { mbit: slow, ...shared }, source };
}

/**
 * Returns the speed of each cluster: from complete runs at its site, otherwise from the bandwidth on these objects,
 * otherwise from runs at other sites; undefined without any of these. Clusters of a site with its own bandwidth share
 * the site's link equally.
 */
export function knownSpeeds(
  objects: readonly KubernetesObject[],
  pulls: ReadonlyMap<string, CompletePull>,
  labelsOf: (cluster: string) => Labels,
): (cluster: string) => KnownSpeed | undefined {
  const linkOf = linksOf(objects, labelsOf);
  const siteLabel = siteLabelOf(objects) ?? "";
  const siteOf = (cluster: string) => ownValue(labelsOf(cluster), siteLabel);
  const bySite = Map.groupBy(pulls, ([cluster]) => siteOf(cluster));
  const learned = new Map(
    [...bySite].map(([site, some]) => [site, learnedFrom(some.map(([, pull]) => pull))] as const),
  );
  const elsewhere = learnedFrom([...pulls.values()]);
  return (cluster) => {
    const link = linkOf(cluster);
    const site = siteOf(cluster);
    const ofSite = site === undefined ? undefined : learned.get(site);
    if (ofSite && link?.site !== undefined)
      return known(ofSite.throughput, ofSite.throughput * usualSlow, "runs at its site", link.site);
    if (ofSite) return known(ofSite.mbit, slowOf(ofSite), "runs at its site");
    if (link) return known(link.mbit, link.mbit * usualSlow, "bandwidth", link.site);
    return elsewhere && known(elsewhere.mbit, slowOf(elsewhere), "runs at other sites");
  };
}
