import {
  barOrder,
  type ClusterGroup,
  clusterGroupOf,
  clusterGroups,
  type Grouped,
  groupCountsText,
  groupsOf,
  stateWord,
} from "#shared/domain/precache/fleet/cluster-group.ts";
import { expectation, forecastLine } from "#shared/domain/precache/fleet/fleet-forecast.ts";
import type { ClusterProgress } from "#shared/domain/precache/fleet/fleet-status.ts";
import {
  fleetMessage,
  leftAloneText,
  namesText,
  reasonsOf,
  reasonText,
} from "#shared/domain/precache/fleet/reason-groups.ts";
import { isIncomplete } from "#shared/domain/precache/model/run-reason.ts";
import {
  type CheckedFleet,
  type FleetReadiness,
  readinessText,
} from "#shared/domain/ready/record/fleet-readiness.ts";
import { age, withRelativeTimes } from "#shared/domain/text/human-readable.ts";
import { painted, type SafeText, safe } from "../io/safe-text.ts";
import { tableLines } from "../io/table.ts";

/** How a group is drawn. */
const styles = {
  failed: { colour: "red", mark: "x" },
  offline: { colour: "yellow", mark: "?" },
  pulling: { colour: "cyan", mark: "=" },
  "outside its window": { colour: "magenta", mark: "." },
  waiting: { colour: "dim", mark: "." },
  done: { colour: "green", mark: "#" },
} as const satisfies Record<ClusterGroup, unknown>;

/** Returns the colour of what a person needs to know about a cluster. */
export const colourOf = (cluster: ClusterProgress) => styles[clusterGroupOf(cluster)].colour;

/** Divides the width among groups by their sizes: one that is not empty has a part, and the parts fill the width. */
function barParts(
  grouped: Grouped,
  total: number,
  width: number,
): readonly (readonly [ClusterGroup, number])[] {
  const present = barOrder.filter((group) => grouped.has(group));
  const parts = present.map((group): [ClusterGroup, number] => {
    const count = grouped.get(group)?.length ?? 0;
    return [group, Math.max(1, Math.floor((width * count) / total))];
  });
  const used = parts.reduce((sum, [, part]) => sum + part, 0);
  const widest = parts.reduce<[ClusterGroup, number] | undefined>(
    (found, part) => (found && found[1] >= part[1] ? found : part),
    undefined,
  );
  if (widest) widest[1] = Math.max(1, widest[1] + width - used);
  return parts;
}

function bar(grouped: Grouped, total: number, width: number): SafeText {
  const parts = barParts(grouped, total, width).map(([group, part]) => {
    const { colour, mark } = styles[group];
    return painted(colour, mark.repeat(part));
  });
  return safe`${parts}`;
}

const readinessColours = { True: "green", False: "red", Unknown: "yellow" } as const;

/** Returns whether mirrors hold the images of a fleet, as a line in the colour of its urgency. */
export function readinessLine(readiness: FleetReadiness, now: Date): SafeText {
  const colour = readiness.stale ? "yellow" : readinessColours[readiness.ready];
  return safe`  ${painted(colour, readinessText(readiness, now))}`;
}

function reasonOf({ reason, message }: ClusterProgress, group: ClusterGroup, now: Date): string {
  const text = withRelativeTimes(message, now);
  if (group === "outside its window" || group === "waiting") return text;
  if (reason === "Pulling") return "";
  return [reason, text].filter(Boolean).join(": ");
}

function row(cluster: ClusterProgress, now: Date): readonly (string | SafeText)[] {
  const { name, since, imagesDone = 0, imagesTotal } = cluster;
  const group = clusterGroupOf(cluster);
  const isEnded = group === "done";
  return [
    safe`  ${name}`,
    painted(styles[group].colour, stateWord(cluster)),
    since ? age(new Date(since), now) : "-",
    imagesTotal === undefined ? "-" : `${imagesDone}/${imagesTotal}`,
    isEnded && !isIncomplete(cluster) ? "" : reasonOf(cluster, group, now),
  ];
}

const urgency = new Map(clusterGroups.map((group, index) => [group, index]));

/** How many failed clusters have their message on a line of its own, if there is room: it is not cut after a few words. */
const maxExplained = 3;

/** Returns the clusters in at most this many lines, the most urgent first; those that have no room are counted. */
function clusterLines(clusters: readonly ClusterProgress[], rows: number, now: Date): readonly SafeText[] {
  const sorted = clusters.toSorted(
    (a, b) =>
      (urgency.get(clusterGroupOf(a)) ?? 0) - (urgency.get(clusterGroupOf(b)) ?? 0) ||
      Date.parse(a.since ?? "") - Date.parse(b.since ?? "") ||
      0,
  );
  const space = rows - 1;
  const failed = sorted.filter((one) => clusterGroupOf(one) === "failed" && one.message !== "");
  const explained = new Set(
    failed.slice(0, Math.max(0, Math.min(maxExplained, Math.floor((space - 2) / 3)))),
  );
  const isAll = sorted.length + explained.size <= space;
  const visible: ClusterProgress[] = [];
  let left = isAll ? space : space - 1;
  for (const one of sorted) {
    left -= explained.has(one) ? 2 : 1;
    if (left < 0) break;
    visible.push(one);
  }
  if (visible.length === 0) return [];
  const [title = safe``, ...cells] = tableLines([
    ["  CLUSTER", "STATE", "FOR", "IMAGES", "WHY"],
    ...visible.map((one) => row(explained.has(one) ? { ...one, message: "" } : one, now)),
  ]);
  const shown = visible.flatMap((one, index) => [
    cells[index] ?? safe``,
    ...(explained.has(one) ? [safe`    ${withRelativeTimes(one.message, now)}`] : []),
  ]);
  const rest = sorted.slice(visible.length);
  const more = rest.length > 0 ? [painted("dim", `  and ${rest.length} more: ${groupCountsText(rest)}`)] : [];
  return [title, ...shown, ...more];
}

/** The reasons of failures that are named; the table has the clusters. */
const maxReasons = 3;
/** In fewer lines, the clusters themselves say more. */
const minRows = 10;

/** Returns why clusters failed, with their number and the first of them; nothing of a single one, which the table has. */
function reasonLines(failed: readonly ClusterProgress[], rows: number): readonly SafeText[] {
  if (failed.length < 2) return [];
  return reasonsOf(failed)
    .slice(0, Math.max(0, Math.min(maxReasons, Math.floor((rows - minRows) / 3))))
    .map((one) => safe`  ${painted("red", reasonText(one))}: ${namesText(one)}`);
}

const maxBarWidth = 40;

/** Returns a fleet in at most this many lines: its condition, a bar, what it waits for, and its clusters. */
export function fleetLines(
  status: CheckedFleet,
  {
    columns,
    rows,
    isFailedOnly = false,
  }: Readonly<{ columns: number; rows: number; isFailedOnly?: boolean }>,
  now: Date,
): readonly SafeText[] {
  const { namespace, name, clusters, total, readiness } = status;
  const forecast = forecastLine(status);
  const left = leftAloneText(status);
  const grouped = groupsOf(clusters);
  const failed = grouped.get("failed") ?? [];
  const counts = barOrder.flatMap((group) => {
    const count = grouped.get(group)?.length ?? 0;
    return count > 0 ? [painted(styles[group].colour, `${count} ${group}`), safe`, `] : [];
  });
  const head = [
    safe`${painted("bold", `${namespace}/${name}`)}  ${fleetMessage(status)}`,
    safe`  ${bar(grouped, total, Math.min(maxBarWidth, columns - 4))}  ${status.ended}/${total} ended`,
    safe`  ${counts.slice(0, -1)}`,
    safe`  ${expectation(status, grouped, now)}`,
    ...reasonLines(failed, rows),
    ...[forecast, left].flatMap((line) => (line === undefined ? [] : [safe`  ${line}`])),
    ...(readiness ? [readinessLine(readiness, now)] : []),
  ];
  const lines = clusterLines(isFailedOnly ? failed : clusters, rows - head.length, now);
  return [...head, ...lines].slice(0, Math.max(0, rows)).map((line) => line.cut(columns));
}
