import { ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { siteLabelOf } from "../../precache-model/planned-upgrade.ts";
import type { CompletePull } from "../../precache-model/precaching-report.ts";
import { linksOf } from "../../precache-start/remaining-download.ts";
import type { Speed } from "./downloads.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** The speed of a cluster, the slowest that is likely, and what both are known from. */
export type KnownSpeed = Readonly<{
  expected: Speed;
  slow: Speed;
  source: "runs at its site" | "bandwidth" | "runs at other sites";
}>;

type Learned = Readonly<{ mbit: number; slowest: number; runs: number; throughput: number }>;

/** Megabits in a byte and a millisecond: 10^6 bits. */
const mbitOf = (bytes: number, ms: number): number => (bytes * 8) / (ms * 1000);

const timesOf = ({ from, until }: CompletePull) => ({ from: Date.parse(from), until: Date.parse(until) });

/** Returns the milliseconds in which at least one of the pulls was under way. */
function busyMs(pulls: readonly CompletePull[]): number {
  let busy = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, until } of pulls.map(timesOf).sort((a, b) => a.from - b.from)) {
    busy += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return busy;
}

/** The mean is that of times, not of speeds: it is times that add up. */
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

/** Fewer runs say nothing about the slowest. */
const minRuns = 5;
/** How much slower than expected a speed may be whose variation is unknown. */
const usualSlow = 0.8;
/** The next run may be slower than the slowest of a few; one that is slower than half has another cause than its link. */
const slowOf = ({ mbit, slowest, runs }: Learned): number =>
  runs < minRuns ? mbit * usualSlow : Math.max(slowest, mbit / 2) * 0.9;

function known(mbit: number, slow: number, source: KnownSpeed["source"], link?: string): KnownSpeed {
  const shared = link === undefined ? {} : { link };
  return { expected: { mbit, ...shared }, slow: { mbit: slow, ...shared }, source };
}

/**
 * Returns how fast each cluster pulls: as complete runs at its site have shown, otherwise as the bandwidth on these objects
 * says, otherwise as runs at other sites have shown; undefined when nothing is known. Clusters of a site with a bandwidth
 * of its own share its link equally.
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
