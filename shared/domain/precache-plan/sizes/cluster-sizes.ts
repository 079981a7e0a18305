import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { byCodeUnit, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ClusterRecord, Records } from "../../precache-model/cluster-record.ts";
import { architectureOf, reportedTotals } from "../../precache-model/planned-upgrade.ts";
import {
  bytesPerGib,
  type ClusterSizes,
  type NotCounted,
  type PrecachePlan,
  type PrecacheSizes,
  type SiteSizes,
} from "../../precache-model/precache-plan.ts";
import type { PrecachingSpec } from "../../precache-model/precaching-spec.ts";
import { byteSize } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";

/** The layers of a plan's images for one architecture. */
export type MeasuredImages = Readonly<{
  /** The size of each layer in bytes, by its digest. */
  layers: ReadonlyMap<string, number>;
  /** Index images whose operators' images are not in `layers`. */
  catalogs: readonly string[];
  notCounted: readonly NotCounted[];
}>;

type SizingInput = Readonly<{
  plan: PrecachePlan;
  managedClusters: readonly KubernetesObject[];
  siteLabel: string | undefined;
  /** Records of runs that have exactly this plan's content. */
  records: Records;
  /** The images by architecture, for all architectures that `architecturesOf` returns. */
  measured: ReadonlyMap<string, MeasuredImages>;
}>;

const uncountedOperators = (name: string): NotCounted => ({
  name,
  reason:
    "the index image is counted, its operators' images are not: their size is known after the first run of this content",
});

const takesPart = ({ action }: PrecachePlan["clusters"][number]) => action !== "leave out";
const byName = (clusters: readonly KubernetesObject[]) =>
  new Map(clusters.map((cluster) => [cluster.metadata.name, cluster]));

/** Returns the architectures of the clusters that pre-cache or wait. */
export function architecturesOf({
  plan,
  managedClusters,
}: Pick<SizingInput, "plan" | "managedClusters">): readonly string[] {
  const clusters = byName(managedClusters);
  return [
    ...new Set(
      plan.clusters.filter(takesPart).map(({ name }) => architectureOf(clusters.get(name)?.metadata.labels)),
    ),
  ];
}

function bytesOf(totalBytes: number, record: ClusterRecord | undefined) {
  const doneBytes = record?.state === "Succeeded" ? totalBytes : (record?.bytesDone ?? 0);
  return { totalBytes, missingBytes: Math.max(0, totalBytes - doneBytes) };
}

function siteSizes(clusters: readonly ClusterSizes[]): readonly SiteSizes[] {
  const sites = [...new Set(clusters.flatMap(({ site }) => site ?? []))].sort(byCodeUnit);
  return sites.map((site) => {
    const members = clusters.filter((cluster) => cluster.site === site);
    const known = members.flatMap((member) => member.missingBytes ?? []);
    const missingBytes = known.length > 0 ? known.reduce((sum, bytes) => sum + bytes, 0) : null;
    return { site, clusters: members.length, missingBytes };
  });
}

/**
 * Returns the download sizes of a plan's clusters. A reported total is used for all clusters of its architecture,
 * because it includes the operators' images.
 */
export function sizesOf(input: SizingInput): PrecacheSizes {
  const { plan, siteLabel, records, measured } = input;
  const managedClusters = byName(input.managedClusters);
  const reported = reportedTotals(records, (name) => managedClusters.get(name)?.metadata.labels);
  const totals = new Map(
    [...measured].map(([architecture, { layers }]) => {
      const counted = [...layers.values()].reduce((sum, size) => sum + size, 0);
      return [architecture, Math.max(counted, reported.get(architecture) ?? 0)];
    }),
  );
  const clusters = plan.clusters.filter(takesPart).map(({ name }): ClusterSizes => {
    const cluster = managedClusters.get(name);
    const { labels = {} } = cluster?.metadata ?? {};
    const architecture = architectureOf(labels);
    const record = records.get(name);
    const bytes = bytesOf(totals.get(architecture) ?? 0, record);
    // Every plan has images: a total of zero bytes means that the size is unknown.
    const isKnown = bytes.totalBytes > 0;
    const missingBytes = isKnown || record?.state === "Succeeded" ? bytes.missingBytes : null;
    const site = (siteLabel !== undefined && ownValue(labels, siteLabel)) || null;
    return { name, architecture, totalBytes: isKnown ? bytes.totalBytes : null, missingBytes, site };
  });
  const notCounted = [...measured].flatMap(([architecture, one]) => [
    ...one.notCounted,
    ...(reported.has(architecture) ? [] : one.catalogs.map(uncountedOperators)),
  ]);
  const once = new Map(notCounted.map((one) => [JSON.stringify(one), one]));
  return { clusters, sites: siteSizes(clusters), notCounted: [...once.values()] };
}

/** Returns a warning if `spaceRequired` is smaller than the images that a cluster pulls. */
export function sizeIssues(
  cgu: KubernetesObject,
  { spaceRequired }: PrecachingSpec,
  { clusters }: PrecacheSizes,
): readonly Issue[] {
  const largest = clusters.reduce((most, { totalBytes }) => Math.max(most, totalBytes ?? 0), 0);
  if (largest <= Number(spaceRequired) * bytesPerGib) return [];
  return [
    fieldWarning(cgu, "spec", sentence`${spaceRequired} GiB`, {
      code: "SpaceRequiredTooSmall",
      message: sentence`The images are ${byteSize(largest)} to pull, and more on the disk: spaceRequired is too small.`,
      remedy: "Raise spaceRequired in the PreCachingConfig.",
    }),
  ];
}
