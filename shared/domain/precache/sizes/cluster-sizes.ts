import type { KubernetesObject } from "../../kubernetes/object.ts";
import { byCodeUnit } from "../../order.ts";
import type { PrecachePlan } from "../precache-plan.ts";
import type { ClusterRecord } from "../progress/cluster-record.ts";
import type { Records } from "../progress/report.ts";
import { countOf } from "../work/run-state.ts";
import { type Bandwidths, secondsFor } from "./bandwidth.ts";
import type { ClusterSizes, NotCounted, PrecacheSizes, Room, SiteSizes } from "./precache-sizes.ts";

/** On a ManagedCluster: bytes that images may still take there before the kubelet begins to remove some. */
export const freeBytesAnnotation = "hubrelay.dev/image-bytes-free";
/** On a ManagedCluster, as on nodes. */
const architectureLabel = "kubernetes.io/arch";
const bytesPerGib = 1024 ** 3;

/** What a plan's images are made of for one architecture. */
export type MeasuredImages = Readonly<{
  /** Bytes of each layer by its digest. */
  layers: ReadonlyMap<string, number>;
  notCounted: readonly NotCounted[];
}>;

export type SizingInput = Readonly<{
  plan: PrecachePlan;
  managedClusters: readonly KubernetesObject[];
  /** The label of a cluster that names its site. */
  siteLabel: string | undefined;
  bandwidths: Bandwidths;
  /** What the clusters have told of runs with exactly this plan's content. */
  records: Records;
  /** By architecture: one for each that `architecturesOf` names. */
  measured: ReadonlyMap<string, MeasuredImages>;
}>;

/** The architecture whose images a cluster pulls: that of its label, else amd64. */
function architectureOf(cluster: KubernetesObject | undefined): string {
  return cluster?.metadata.labels?.[architectureLabel] || "amd64";
}

const takesPart = ({ action }: PrecachePlan["clusters"][number]) => action !== "leave out";
const byName = (clusters: readonly KubernetesObject[]) =>
  new Map(clusters.map((cluster) => [cluster.metadata.name, cluster]));

/** The architectures of the clusters that pre-cache. */
export function architecturesOf({
  plan,
  managedClusters,
}: Pick<SizingInput, "plan" | "managedClusters">): readonly string[] {
  const clusters = byName(managedClusters);
  return [...new Set(plan.clusters.filter(takesPart).map(({ name }) => architectureOf(clusters.get(name))))];
}

/** A run that has begun knows its total better: it has rendered the catalogs. */
function bytesOf(counted: number, record: ClusterRecord | undefined) {
  const totalBytes = Math.max(counted, record?.bytesTotal ?? 0);
  const doneBytes = record?.state === "Succeeded" ? totalBytes : (record?.bytesDone ?? 0);
  return { totalBytes, doneBytes, missingBytes: Math.max(0, totalBytes - doneBytes) };
}

const gib = (bytes: number): string => `${(bytes / bytesPerGib).toFixed(1)} GiB`;

/** As the cluster judges before it pulls: what is missing must fit, and what is asked for less what lies there. */
function roomFor(
  { doneBytes, missingBytes }: ReturnType<typeof bytesOf>,
  requiredBytes: number,
  freeBytes: number | undefined,
  record: ClusterRecord | undefined,
): Readonly<{ room: Room; reason: string }> {
  if (record?.state === "Succeeded") return { room: "fits", reason: "Every image is on the cluster." };
  if (record?.reason === "NoSpace")
    return { room: "too small", reason: `The cluster had no room when it was asked: ${record.message}` };
  if (freeBytes === undefined)
    return { room: "unknown", reason: "Nobody tells how much is free on the cluster." };
  const needed = Math.max(missingBytes, requiredBytes - doneBytes);
  const reason = `${gib(freeBytes)} are free, ${gib(needed)} are needed.`;
  return { room: freeBytes < needed ? "too small" : "fits", reason };
}

function siteSizes(
  clusters: readonly ClusterSizes[],
  mbitOf: (site: string) => number | undefined,
): readonly SiteSizes[] {
  const sites = [...new Set(clusters.flatMap(({ site }) => site ?? []))].sort(byCodeUnit);
  return sites.map((site) => {
    const members = clusters.filter((cluster) => cluster.site === site);
    const missingBytes = members.reduce((sum, member) => sum + member.missingBytes, 0);
    const mbit = mbitOf(site);
    const seconds = mbit === undefined ? null : secondsFor(missingBytes, mbit);
    return { site, clusters: members.length, missingBytes, seconds };
  });
}

/**
 * What every cluster of a plan has to pull, how long that takes, and whether it fits. Layers that images share count
 * once.
 */
export function sizesOf(input: SizingInput): PrecacheSizes {
  const { plan, siteLabel, bandwidths, records, measured } = input;
  const { elsewhere, bySite } = bandwidths;
  const managedClusters = byName(input.managedClusters);
  const counted = new Map(
    [...measured].map(([architecture, { layers }]) => [
      architecture,
      [...layers.values()].reduce((sum, size) => sum + size, 0),
    ]),
  );
  const mbitOf = (site: string | null) => (site === null ? undefined : bySite.get(site)) ?? elsewhere;
  const requiredBytes = Number(plan.spec.spaceRequired) * bytesPerGib;
  const clusters = plan.clusters.filter(takesPart).map(({ name }): ClusterSizes => {
    const cluster = managedClusters.get(name);
    const { labels = {}, annotations = {} } = cluster?.metadata ?? {};
    const architecture = architectureOf(cluster);
    const record = records.get(name);
    const bytes = bytesOf(counted.get(architecture) ?? 0, record);
    const site = (siteLabel !== undefined && labels[siteLabel]) || null;
    const mbit = mbitOf(site);
    const freeBytes = countOf(annotations[freeBytesAnnotation]);
    return {
      name,
      architecture,
      totalBytes: bytes.totalBytes,
      missingBytes: bytes.missingBytes,
      site,
      seconds: mbit === undefined ? null : secondsFor(bytes.missingBytes, mbit),
      freeBytes: freeBytes ?? null,
      ...roomFor(bytes, requiredBytes, freeBytes, record),
    };
  });
  const notCounted = [...measured.values()].flatMap((one) => one.notCounted);
  const once = new Map(notCounted.map((one) => [JSON.stringify(one), one]));
  return { clusters, sites: siteSizes(clusters, mbitOf), notCounted: [...once.values()] };
}
