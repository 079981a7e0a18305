import {
  type CheckedFleet,
  expectation,
  forecastLine,
} from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  barOf,
  byUrgency,
  fleetMessage,
  groupCountsText,
  groupsOf,
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
import { clusterRows, groupStyles, readinessLine } from "./cluster-table.ts";

const barWidth = 40;

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

/** Returns the first blocks that fit in this many lines. If some do not fit, the last line is `restText`. */
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

/** Returns the summary of a fleet: its condition, a progress bar, what it waits for, and why clusters failed. */
export function fleetHead(
  status: CheckedFleet,
  now: Date,
  { width = barWidth, maxReasons }: Readonly<{ width?: number; maxReasons?: number }> = {},
): readonly SafeText[] {
  const { namespace, name, clusters, total, ended } = status;
  const counts = barOf(clusters).map(({ group, count }) =>
    painted(groupStyles[group].colour, `${count} ${group}`),
  );
  const progress = [
    safe`  ${bar(clusters, Math.min(barWidth, width))}  ${ended}/${total} ended`,
    safe`  ${joined(counts, safe`, `)}`,
    safe`  ${expectation(status, now)}`,
  ];
  const forecast = forecastLine(status);
  const failed = groupsOf(clusters).get("failed") ?? [];
  const reasons = failed.length > 1 ? reasonsOf(failed).slice(0, maxReasons) : [];
  return [
    safe`${painted("bold", `${namespace}/${name}`)}  ${fleetMessage(status)}`,
    ...(total > 0 ? progress : []),
    ...reasons.map((one) => safe`  ${painted("red", reasonText(one))}: ${namesText(one)}`),
    ...(forecast ? [safe`  ${forecast}`] : []),
  ];
}

/** Returns a line with the number of clusters that are not shown. */
export const othersText = (others: readonly ClusterProgress[]): string =>
  `  and ${others.length} more: ${groupCountsText(others)}`;

/** Maximum number of failed clusters whose message has a line of its own. */
const maxExplained = 3;

function clusterLines(all: readonly ClusterProgress[], rows: number, now: Date): readonly SafeText[] {
  if (rows < 3 || all.length === 0) return [];
  const sorted = all.toSorted(byUrgency);
  const visible = sorted.slice(0, rows);
  const failed = groupsOf(visible).get("failed") ?? [];
  const withMessage = failed.filter(({ message }) => message !== "");
  const explained = withMessage.slice(0, Math.min(maxExplained, Math.floor(rows / 3) - 1));
  const why = (one: ClusterProgress) => (explained.includes(one) ? "" : withRelativeTimes(one.message, now));
  const [title = safe``, ...cells] = tableLines(clusterRows(visible, now, why));
  const blocks = visible.map((one, index) => {
    const message = explained.includes(one) ? [safe`    ${withRelativeTimes(one.message, now)}`] : [];
    return [cells[index] ?? safe``, ...message];
  });
  return [title, ...fitting(blocks, rows - 1, (shown) => othersText(sorted.slice(shown)))];
}

/** Returns the summary of a fleet and its most urgent clusters, in at most `rows` lines. */
export function fleetLines(
  status: CheckedFleet,
  { columns, rows }: ScreenSize,
  now: Date,
): readonly SafeText[] {
  // Reasons are shown only if ten lines remain for the table.
  const maxReasons = Math.max(0, Math.min(3, Math.floor((rows - 10) / 3)));
  const { readiness } = status;
  const leftAlone = leftAloneText(status);
  const head = [
    ...fleetHead(status, now, { width: columns - 4, maxReasons }),
    ...(leftAlone ? [safe`  ${leftAlone}`] : []),
    ...(readiness ? [readinessLine(readiness, now)] : []),
  ];
  const lines = clusterLines(status.clusters, rows - head.length, now);
  return [...head, ...lines].slice(0, Math.max(0, rows)).map((line) => line.cut(columns));
}
