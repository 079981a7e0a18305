import { missingImages } from "#shared/domain/precache/check/cluster-check.ts";
import { groupCountsText } from "#shared/domain/precache/fleet/cluster-group.ts";
import { forecastLine } from "#shared/domain/precache/fleet/fleet-forecast.ts";
import {
  type ClusterProgress,
  type FleetStatus,
  waitsForWindow,
} from "#shared/domain/precache/fleet/fleet-status.ts";
import {
  fleetMessage,
  namesText,
  reasonsOf,
  reasonText,
} from "#shared/domain/precache/fleet/reason-groups.ts";
import { lateness } from "#shared/domain/precache/forecast/forecast.ts";
import { remedyText } from "#shared/domain/precache/forecast/forecast-text.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/model/cluster-state.ts";
import { isIncomplete } from "#shared/domain/precache/model/run-reason.ts";
import {
  type CheckedFleet,
  type FleetReadiness,
  maxShown,
  readinessDetails,
} from "#shared/domain/ready/record/fleet-readiness.ts";
import { age } from "#shared/domain/text/human-readable.ts";
import { barText } from "../../io/progress-bar.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";
import { table, tableWithHeadings } from "../../io/table.ts";
import { clusterCells, readinessLine } from "../../screen/cluster-text.ts";

const barWidth = 40;
/** Renders `#####.....  12/40 ended`, and the clusters by what a person needs to know about them. */
function progressLines({ ended, total, estimatedEnd, clusters }: FleetStatus): SafeText {
  const end = estimatedEnd ? `, the last about ${estimatedEnd.slice(0, 16)}Z` : "";
  return safe`  ${barText(ended, total, barWidth)}  ${ended}/${total} ended${end}\n  ${groupCountsText(clusters)}\n`;
}

function clusterTable(
  title: string,
  clusters: readonly ClusterProgress[],
  { now, max }: Readonly<{ now: Date; max: number }>,
): SafeText {
  if (clusters.length === 0) return safe``;
  const rows = clusters
    .slice(0, max)
    .map((cluster) => [
      ...clusterCells(cluster, now, String(cluster.attempt)),
      [cluster.reason, cluster.message].filter(Boolean).join(": "),
    ]);
  const more = clusters.length > max ? safe`  and ${clusters.length - max} more\n` : "";
  return safe`${title}\n${tableWithHeadings(["  CLUSTER", "STATE", "FOR", "ATTEMPT", "IMAGES", "REASON"], rows)}${more}`;
}

/** Renders the clusters that have lost images since they were pre-cached, as their last check has found. */
function lostTable(clusters: readonly ClusterProgress[], now: Date, max: number): SafeText {
  const lost = clusters.filter((cluster) => missingImages(cluster) > 0);
  if (lost.length === 0) return safe``;
  const rows = lost.slice(0, max).map(({ name, check }) => {
    const { imagesPresent, imagesTotal, checked = "", message = "" } = check ?? {};
    return [`  ${name}`, `${imagesPresent}/${imagesTotal}`, age(new Date(checked), now), message];
  });
  const more = lost.length > max ? safe`  and ${lost.length - max} more\n` : "";
  return safe`Images missing\n${tableWithHeadings(["  CLUSTER", "PRESENT", "CHECKED", "MISSING"], rows)}${more}`;
}

/** Renders the clusters that are left to an ImageBasedGroupUpgrade. */
function leftAloneTable({ leftAlone = [] }: FleetStatus, max: number): SafeText {
  if (leftAlone.length === 0) return safe``;
  const rows = leftAlone.slice(0, max).map(({ name, reason }) => [`  ${name}`, reason]);
  const more = leftAlone.length > max ? safe`  and ${leftAlone.length - max} more\n` : "";
  return safe`Left alone\n${table(rows)}${more}`;
}

const isFailed = ({ state }: ClusterProgress) => isFinalState(state) && state !== "Succeeded";

/** Renders the clusters that failed, several first by their reasons. */
function failedTable(
  failed: readonly ClusterProgress[],
  size: Readonly<{ now: Date; max: number }>,
): SafeText {
  const reasons = failed.length > 1 ? reasonsOf(failed) : [];
  const lines = reasons.map((one) => safe`Failed: ${reasonText(one)}: ${namesText(one)}\n`);
  return safe`${lines}${clusterTable("Failed", failed, size)}`;
}

/** Renders whether mirrors hold the images, the first that they do not hold, and the fix. */
function readinessLines(readiness: FleetReadiness, now: Date, max: number): SafeText {
  const details = readinessDetails(readiness, max).map((line) => safe`    ${line}\n`);
  return safe`${readinessLine(readiness, now)}\n${details}`;
}

/** Names of late clusters in a line. */
const maxLate = 3;

/** Renders the forecast, the clusters that are late although they have not failed, and what helps. */
function forecastLines(status: FleetStatus): SafeText {
  const line = forecastLine(status);
  if (line === undefined) return safe``;
  const { byCluster = [], remedies = [], by } = status.forecast ?? {};
  const late = byCluster.filter((one) => one.state !== "failed" && lateness(one, by) === "late");
  const first = late.slice(0, maxLate).map(({ name }) => name);
  const names = late.length > 0 ? safe`  late: ${namesText({ first, count: late.length })}\n` : safe``;
  return safe`  ${line}\n${names}${remedies.map((one) => safe`  ${remedyText(one)}\n`)}`;
}

/** Renders a fleet: progress bar, states, clusters that failed, are incomplete or have lost images, and the slowest. */
export function statusTable(status: CheckedFleet, now: Date, max = maxShown): SafeText {
  const { namespace, name, clusters, readiness, total } = status;
  const slowest = clusters
    .filter(({ state }) => isRunningState(state))
    .toSorted((a, b) => Date.parse(a.since ?? "") - Date.parse(b.since ?? ""));
  const outsideWindow = clusters.filter(({ reason }) => reason === waitsForWindow);
  const waiting = clusters
    .filter(({ reason }) => reason === "ClusterNotReached")
    .filter((one) => !isFailed(one));
  return safe`${[
    safe`${namespace}/${name}: ${fleetMessage(status)}\n`,
    total > 0 ? progressLines(status) : safe``,
    forecastLines(status),
    readiness ? readinessLines(readiness, now, max) : safe``,
    failedTable(clusters.filter(isFailed), { now, max }),
    clusterTable("Incomplete", clusters.filter(isIncomplete), { now, max }),
    lostTable(clusters, now, max),
    clusterTable("Not reached", waiting, { now, max }),
    clusterTable("Waiting for a window", outsideWindow, { now, max }),
    leftAloneTable(status, max),
    clusterTable("Slowest", slowest, { now, max }),
  ]}`;
}
