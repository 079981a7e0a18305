import { isIncomplete } from "#shared/domain/precache-model/cluster-state.ts";
import {
  type CheckedFleet,
  expectation,
  forecastLine,
} from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  barOf,
  byUrgency,
  clusterGroupOf,
  fleetMessage,
  groupCountsText,
  leftAloneText,
  namesText,
  reasonsOf,
  reasonText,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import type { ClusterProgress } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { withRelativeTimes } from "#shared/domain/text/human-readable.ts";
import type { ScreenSize } from "../io/live-screen.ts";
import { joined, painted, type SafeText, safe } from "../io/safe-text.ts";
import { tableLines } from "../io/table.ts";
import { clusterCells, groupStyles, readinessLine } from "./cluster-text.ts";

/** Renders a bar of this width, in which each group that is not empty has a part. */
function bar(clusters: readonly ClusterProgress[], width: number): SafeText {
  const parts = barOf(clusters).map(({ group, count }) => ({
    ...groupStyles[group],
    part: Math.max(1, Math.floor((width * count) / clusters.length)),
  }));
  const left = width - parts.reduce((sum, { part }) => sum + part, 0);
  const [widest] = parts.toSorted((a, b) => b.part - a.part);
  if (widest) widest.part = Math.max(1, widest.part + left);
  return safe`${parts.map(({ colour, mark, part }) => painted(colour, mark.repeat(part)))}`;
}

function reasonOf(cluster: ClusterProgress, message: string): string {
  const group = clusterGroupOf(cluster);
  if (group === "outside its window" || group === "waiting") return message;
  const isUsual = group === "done" ? !isIncomplete(cluster) : cluster.reason === "Pulling";
  return isUsual ? "" : [cluster.reason, message].filter(Boolean).join(": ");
}

/** Returns the first blocks in at most this many lines, and a line about the others. */
export function fitting(
  blocks: readonly (readonly SafeText[])[],
  rows: number,
  restText: (shown: number) => string,
): readonly SafeText[] {
  const room = blocks.flat().length > rows ? rows - 1 : rows;
  const shown: SafeText[] = [];
  const rest = blocks.findIndex((lines, index) => {
    const isFull = index > 0 && shown.length + lines.length > room;
    if (!isFull) shown.push(...lines);
    return isFull;
  });
  return rest < 0 ? shown : [...shown, painted("dim", restText(rest))];
}

/** How many failed clusters have their message on a line of its own, if there is room: it is not cut after a few words. */
const maxExplained = 3;

/** Returns the clusters in at most this many lines, the most urgent first; those that have no room are counted. */
function clusterLines(all: readonly ClusterProgress[], rows: number, now: Date): readonly SafeText[] {
  if (rows < 3 || all.length === 0) return [];
  const sorted = all.toSorted(byUrgency);
  const visible = sorted.slice(0, rows);
  const failed = visible.filter((one) => clusterGroupOf(one) === "failed" && one.message !== "");
  const explained = failed.slice(0, Math.min(maxExplained, Math.floor(rows / 3) - 1));
  const [title = safe``, ...cells] = tableLines([
    ["  CLUSTER", "STATE", "FOR", "IMAGES", "WHY"],
    ...visible.map((one) => {
      const why = explained.includes(one) ? "" : withRelativeTimes(one.message, now);
      return [...clusterCells(one, now), reasonOf(one, why)];
    }),
  ]);
  const blocks = visible.map((one, index) => {
    const message = explained.includes(one) ? [safe`    ${withRelativeTimes(one.message, now)}`] : [];
    return [cells[index] ?? safe``, ...message];
  });
  const restText = (shown: number) =>
    `  and ${sorted.length - shown} more: ${groupCountsText(sorted.slice(shown))}`;
  return [title, ...fitting(blocks, rows - 1, restText)];
}

/** Returns why several clusters failed, with the first of them, where their table still has ten lines. */
function reasonLines(failed: readonly ClusterProgress[], rows: number): readonly SafeText[] {
  const reasons = failed.length > 1 ? reasonsOf(failed) : [];
  return reasons
    .slice(0, Math.max(0, Math.min(3, Math.floor((rows - 10) / 3))))
    .map((one) => safe`  ${painted("red", reasonText(one))}: ${namesText(one)}`);
}

/** Returns a fleet in at most this many lines: its condition, a bar, what it waits for, and its clusters. */
export function fleetLines(
  status: CheckedFleet,
  { columns, rows }: ScreenSize,
  now: Date,
): readonly SafeText[] {
  const { namespace, name, clusters, total, ended, readiness } = status;
  const failed = clusters.filter((one) => clusterGroupOf(one) === "failed");
  const counts = barOf(clusters).map(({ group, count }) =>
    painted(groupStyles[group].colour, `${count} ${group}`),
  );
  const head = [
    safe`${painted("bold", `${namespace}/${name}`)}  ${fleetMessage(status)}`,
    safe`  ${bar(clusters, Math.min(40, columns - 4))}  ${ended}/${total} ended`,
    safe`  ${joined(counts, safe`, `)}`,
    safe`  ${expectation(status, now)}`,
    ...reasonLines(failed, rows),
    ...[forecastLine(status), leftAloneText(status)].flatMap((line) => (line ? [safe`  ${line}`] : [])),
    ...(readiness ? [readinessLine(readiness, now)] : []),
  ];
  const lines = clusterLines(clusters, rows - head.length, now);
  return [...head, ...lines].slice(0, Math.max(0, rows)).map((line) => line.cut(columns));
}
