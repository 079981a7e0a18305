import { missingImages } from "#shared/domain/precache-model/check-record.ts";
import { isIncomplete, isRunningState } from "#shared/domain/precache-model/cluster-state.ts";
import { type CheckedFleet, forecastLine } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  fleetMessage,
  groupCountsText,
  groupsOf,
  namesText,
  reasonsOf,
  reasonText,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { remedyOf, retryCommand } from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import {
  type ClusterProgress,
  type FleetStatus,
  waitsForWindow,
} from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { lateness } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { limitsText } from "#shared/domain/precache-progress/forecast/forecast-text.ts";
import {
  type FleetReadiness,
  maxShown,
  readinessDetails,
} from "#shared/domain/ready/record/fleet-readiness.ts";
import { age } from "#shared/domain/text/human-readable.ts";
import { barText } from "../../io/progress-bar.ts";
import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { table } from "../../io/table.ts";
import { clusterCells, readinessLine } from "../../screen/cluster-text.ts";

const barWidth = 40;
/** Renders `#####.....  12/40 ended`, and the clusters by what a person needs to know about them. */
function progressLines({ ended, total, estimatedEnd, clusters }: FleetStatus): SafeText {
  const end = estimatedEnd ? `, the last about ${estimatedEnd.slice(0, 16)}Z` : "";
  return safe`  ${barText(ended, total, barWidth)}  ${ended}/${total} ended${end}\n  ${groupCountsText(clusters)}\n`;
}

type Shown = Readonly<{ now: Date; max: number }>;
type Row = Parameters<typeof table>[0][number];

/** Renders a title, and below it a row for each of the first items; nothing without items. */
function section<Item>(
  title: string,
  headings: readonly Row[],
  items: readonly Item[],
  max: number,
  rowOf: (item: Item) => Row,
): SafeText {
  if (items.length === 0) return safe``;
  const more = items.length > max ? safe`  and ${items.length - max} more\n` : "";
  return safe`${title}\n${table([...headings, ...items.slice(0, max).map(rowOf)])}${more}`;
}
const bold = (...headings: readonly string[]) => [headings.map((heading) => painted("bold", heading))];

function clusterTable(title: string, clusters: readonly ClusterProgress[], { now, max }: Shown): SafeText {
  const headings = bold("  CLUSTER", "STATE", "FOR", "ATTEMPT", "IMAGES", "REASON");
  return section(title, headings, clusters, max, (one) => [
    ...clusterCells(one, now, String(one.attempt)),
    [one.reason, one.message].filter(Boolean).join(": "),
  ]);
}

/** Renders the clusters that have lost images since they were pre-cached, as their last check has found. */
function lostTable(clusters: readonly ClusterProgress[], { now, max }: Shown): SafeText {
  const lost = clusters.filter((cluster) => missingImages(cluster) > 0);
  const headings = bold("  CLUSTER", "PRESENT", "CHECKED", "MISSING");
  return section("Images missing", headings, lost, max, ({ name, check }) => {
    const { imagesPresent, imagesTotal, checked = "", message = "" } = check ?? {};
    return [`  ${name}`, `${imagesPresent}/${imagesTotal}`, age(new Date(checked), now), message];
  });
}

/** Renders the clusters that failed: several first by their reasons, then each, with the fixes and the retry. */
function failedTable(failed: readonly ClusterProgress[], key: string, size: Shown): SafeText {
  if (failed.length === 0) return safe``;
  const reasons = reasonsOf(failed);
  const lines =
    failed.length > 1 ? reasons.map((one) => safe`Failed: ${reasonText(one)}: ${namesText(one)}\n`) : [];
  const fixes = reasons.map((one) => safe`  Fix of ${one.reason}: ${remedyOf(one)}\n`);
  return safe`${lines}${clusterTable("Failed", failed, size)}${fixes}  Then: ${retryCommand(key)}\n`;
}

/** Renders whether mirrors hold the images, the first that they do not hold, and the fix. */
function readinessLines(readiness: FleetReadiness, now: Date, max: number): SafeText {
  const details = readinessDetails(readiness, max).map((line) => safe`    ${line}\n`);
  return safe`${readinessLine(readiness, now)}\n${details}`;
}

/** Names of late clusters in a line. */
const maxLate = 3;

/** Renders the forecast, the clusters that are late although they have not failed, and what limits them. */
function forecastLines(status: FleetStatus): SafeText {
  const line = forecastLine(status);
  if (line === undefined) return safe``;
  const { byCluster = [], by } = status.forecast ?? {};
  const late = byCluster.filter((one) => one.state !== "failed" && lateness(one, by) === "late");
  const first = late.slice(0, maxLate).map(({ name }) => name);
  const names = late.length > 0 ? safe`  late: ${namesText({ first, count: late.length })}\n` : safe``;
  const limits = status.forecast && limitsText(status.forecast);
  return safe`  ${line}\n${names}${limits === undefined ? "" : safe`  ${limits}\n`}`;
}

/** Renders a fleet: progress bar, states, clusters that failed, are incomplete or have lost images, and the slowest. */
export function statusTable(status: CheckedFleet, now: Date, max = maxShown): SafeText {
  const { namespace, name, clusters, readiness, total } = status;
  const slowest = clusters
    .filter(({ state }) => isRunningState(state))
    .toSorted((a, b) => Date.parse(a.since ?? "") - Date.parse(b.since ?? ""));
  const outsideWindow = clusters.filter(({ reason }) => reason === waitsForWindow);
  const grouped = groupsOf(clusters);
  return safe`${[
    safe`${namespace}/${name}: ${fleetMessage(status)}\n`,
    total > 0 ? progressLines(status) : safe``,
    forecastLines(status),
    readiness ? readinessLines(readiness, now, max) : safe``,
    failedTable(grouped.get("failed") ?? [], `${namespace}/${name}`, { now, max }),
    clusterTable("Incomplete", clusters.filter(isIncomplete), { now, max }),
    lostTable(clusters, { now, max }),
    clusterTable("Not reached", grouped.get("offline") ?? [], { now, max }),
    clusterTable("Waiting for a window", outsideWindow, { now, max }),
    section("Left alone", [], status.leftAlone ?? [], max, ({ name, reason }) => [`  ${name}`, reason]),
    clusterTable("Slowest", slowest, { now, max }),
  ]}`;
}
