import { missingImages } from "#shared/domain/precache-model/check-record.ts";
import type { CheckedFleet } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import {
  byUrgency,
  groupsOf,
  namesText,
  reasonsOf,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import { remedyOf, retryCommand } from "#shared/domain/precache-progress/fleet/cluster-story.ts";
import type { ClusterProgress, FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { lateness } from "#shared/domain/precache-progress/forecast/forecast.ts";
import { limitsText } from "#shared/domain/precache-progress/forecast/forecast-text.ts";
import { maxShown, readinessDetails } from "#shared/domain/ready/record/fleet-readiness.ts";
import { age } from "#shared/domain/text/human-readable.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table, tableWithHeadings } from "../../io/table.ts";
import { clusterRows, readinessLine } from "../../screen/cluster-table.ts";
import { fleetHead, othersText } from "../../screen/fleet-lines.ts";

function section(
  title: string,
  rows: readonly (readonly Cell[])[],
  max: number,
  headings: readonly string[] = [],
): SafeText {
  if (rows.length === 0) return safe``;
  const shown = rows.slice(0, max);
  const more = rows.length > max ? safe`  and ${rows.length - max} more\n` : "";
  return safe`${title}\n${headings.length > 0 ? tableWithHeadings(headings, shown) : table(shown)}${more}`;
}

function clusterTable(clusters: readonly ClusterProgress[], now: Date, max: number): SafeText {
  if (clusters.length === 0) return safe``;
  const sorted = clusters.toSorted(byUrgency);
  const [headings = [], ...rows] = clusterRows(sorted.slice(0, max), now);
  const others = sorted.slice(max);
  const rest = others.length > 0 ? safe`${othersText(others)}\n` : "";
  return safe`${tableWithHeadings(headings.map(String), rows)}${rest}`;
}

function lostTable(clusters: readonly ClusterProgress[], now: Date, max: number): SafeText {
  const lost = clusters.filter((cluster) => missingImages(cluster) > 0);
  const rows = lost.map(({ name, check }) => {
    const { imagesPresent, imagesTotal, checked = "", message = "" } = check ?? {};
    return [`  ${name}`, `${imagesPresent}/${imagesTotal}`, age(new Date(checked), now), message];
  });
  return section("Images missing", rows, max, ["  CLUSTER", "PRESENT", "CHECKED", "MISSING"]);
}

function failedFixes({ namespace, name, clusters }: FleetStatus): SafeText {
  const failed = groupsOf(clusters).get("failed") ?? [];
  if (failed.length === 0) return safe``;
  const fixes = reasonsOf(failed).map((one) => safe`  Fix of ${one.reason}: ${remedyOf(one)}\n`);
  return safe`${fixes}  Then: ${retryCommand(`${namespace}/${name}`)}\n`;
}

const maxLate = 3;

function lateLines({ forecast }: FleetStatus): SafeText {
  const { byCluster = [], by } = forecast ?? {};
  const late = byCluster.filter((one) => one.state !== "failed" && lateness(one, by) === "late");
  const first = late.slice(0, maxLate).map(({ name }) => name);
  const names = late.length > 0 ? safe`  late: ${namesText({ first, count: late.length })}\n` : safe``;
  const limits = forecast && limitsText(forecast);
  return safe`${names}${limits === undefined ? "" : safe`  ${limits}\n`}`;
}

/** Renders the status of a fleet. `max` is the maximum number of clusters in each list. */
export function statusTable(status: CheckedFleet, now: Date, max = maxShown): SafeText {
  const { clusters, readiness, leftAlone = [] } = status;
  const details = readiness
    ? [readinessLine(readiness, now), ...readinessDetails(readiness, max).map((line) => safe`    ${line}`)]
    : [];
  return safe`${[
    ...fleetHead(status, now).map((line) => safe`${line}\n`),
    lateLines(status),
    ...details.map((line) => safe`${line}\n`),
    clusterTable(clusters, now, max),
    failedFixes(status),
    lostTable(clusters, now, max),
    section(
      "Left alone",
      leftAlone.map(({ name, reason }) => [`  ${name}`, reason]),
      max,
    ),
  ]}`;
}
