import type { PrecachePlan } from "#shared/domain/precache/model/precache-plan.ts";
import type { ClusterSizes, PrecacheSizes } from "#shared/domain/precache/model/precache-sizes.ts";
import type { PrecachingSpec } from "#shared/domain/precache/model/precaching-spec.ts";
import { byteSize, counted, duration } from "#shared/domain/text/human-readable.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

const colours = { precache: "green", wait: "yellow", "leave out": "dim" } as const;

function specRows({ spaceRequired, ...spec }: PrecachingSpec): readonly (readonly Cell[])[] {
  const rows: (readonly [string, string])[] = Object.entries(spec).flatMap(([field, value]) =>
    (typeof value === "string" ? [value] : value)
      .filter((text) => text !== "")
      .map((text, index) => [index === 0 ? `  ${field}` : "", text] as const),
  );
  return spaceRequired === "" ? rows : [...rows, ["  spaceRequired", `${spaceRequired} GiB`]];
}

const sizesHeading = ["  CLUSTER", "ACTION", "TOTAL", "MISSING", "TIME", "ROOM", "REASON"];
const sizeText = (bytes: number | null): string => (bytes === null ? "-" : byteSize(bytes));
const timeText = (seconds: number | null): string => (seconds === null ? "-" : duration(seconds));

function sizeCells(sizes: ClusterSizes | undefined): readonly string[] {
  if (!sizes) return ["-", "-", "-", "-"];
  const { totalBytes, missingBytes, seconds, room } = sizes;
  return [sizeText(totalBytes), sizeText(missingBytes), timeText(seconds), room];
}

function sizeRows({ sites, notCounted, osStreams }: PrecacheSizes): readonly (readonly Cell[])[] {
  return [
    ...sites.map(({ site, clusters, missingBytes, seconds }) => [
      `  site ${site}`,
      counted(clusters, "cluster"),
      sizeText(missingBytes),
      timeText(seconds),
    ]),
    ...osStreams.map(({ architecture, stream, savedBytes }) => [
      `  OS stream ${stream}`,
      `clusters that boot it pull ${sizeText(savedBytes)} less (${architecture})`,
    ]),
    ...notCounted.map(({ name, reason }) => ["  not counted", `${name}: ${reason}`]),
  ];
}

/** Renders plans: spec, conditions, and the action for each cluster. */
export function planTable(plans: readonly PrecachePlan[]): SafeText {
  if (plans.length === 0) return safe`No ClusterGroupUpgrades found.\n`;
  const sections = plans.map(({ namespace, name, spec, conditions, clusters, sizes }) => {
    const going = clusters.filter(({ action }) => action === "precache").length;
    const sizesByCluster = new Map(sizes?.clusters.map((one) => [one.name, one]));
    const clusterRows = clusters.map(({ name: cluster, action, reason }): readonly Cell[] => [
      `  ${cluster}`,
      painted(colours[action], action),
      ...(sizes ? sizeCells(sizesByCluster.get(cluster)) : []),
      reason,
    ]);
    const conditionRows = conditions.map(({ type, status, reason, message }): readonly Cell[] => [
      `  ${type}`,
      status,
      reason,
      message.trim(),
    ]);
    return safe`${[
      safe`${painted("bold", `${namespace}/${name}`)}: ${going} of ${counted(clusters.length, "cluster")} ${clusters.length === 1 ? "pre-caches" : "pre-cache"}\n`,
      table(specRows(spec)),
      table(conditionRows),
      table(sizes && clusterRows.length > 0 ? [sizesHeading, ...clusterRows] : clusterRows),
      sizes ? table(sizeRows(sizes)) : safe``,
    ]}`;
  });
  return joined(sections, safe`\n`);
}
