import { ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { siteLabelOf } from "../../precache-model/planned-upgrade.ts";
import type { CompletePull } from "../../precache-model/precaching-report.ts";
import { linksOf } from "../../precache-start/limits.ts";
import type { Speed } from "./downloads.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** The expected speed of a cluster, and where this number comes from. */
export type KnownSpeed = Speed &
  Readonly<{ source: "runs at its site" | "bandwidth" | "runs at other sites" }>;

type Learned = Readonly<{ mbit: number; throughput: number }>;

const mbitOf = (bytes: number, ms: number): number => (bytes * 8) / (ms * 1000);

const timesOf = ({ from, until }: CompletePull) => ({ from: Date.parse(from), until: Date.parse(until) });

function busyMs(pulls: readonly CompletePull[]): number {
  let busy = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, until } of pulls.map(timesOf).sort((a, b) => a.from - b.from)) {
    busy += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return busy;
}

/** `mbit` is the mean speed of one pull, weighted by duration; `throughput` is the speed of all pulls together. */
function learnedFrom(pulls: readonly CompletePull[]): Learned | undefined {
  if (pulls.length === 0) return undefined;
  const bytes = pulls.reduce((sum, one) => sum + one.bytes, 0);
  const ms = pulls.map(timesOf).reduce((sum, { from, until }) => sum + until - from, 0);
  return { mbit: mbitOf(bytes, ms), throughput: mbitOf(bytes, busyMs(pulls)) };
}

/** Returns a function that returns a cluster's expected speed. Clusters of a site with a bandwidth share one link. */
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
    const shared = link?.site === undefined ? {} : { link: link.site };
    if (ofSite)
      return {
        mbit: link?.site === undefined ? ofSite.mbit : ofSite.throughput,
        ...shared,
        source: "runs at its site",
      };
    if (link) return { mbit: link.mbit, ...shared, source: "bandwidth" };
    return elsewhere && { mbit: elsewhere.mbit, source: "runs at other sites" };
  };
}
