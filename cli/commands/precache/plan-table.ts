import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import type {
  ClusterSizes,
  PlannedCluster,
  PrecacheSizes,
} from "#shared/domain/precache-model/precache-plan.ts";
import type { PrecachingSpec } from "#shared/domain/precache-model/precaching-spec.ts";
import { lateness } from "#shared/domain/precache-progress/forecast/forecast.ts";
import {
  deadlineText,
  forecastText,
  forecastTime,
  limitsText,
  saysSomething,
} from "#shared/domain/precache-progress/forecast/forecast-text.ts";
import { byteSize, counted } from "#shared/domain/text/human-readable.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";
import { dueLines } from "./due-options.ts";
import type { ForecastPlan } from "./plan-forecast.ts";

const colours = { precache: "green", wait: "yellow", "leave out": "dim" } as const;

const maxClusters = 12;
const maxRows = 6;

function firstRows<Row>(rows: readonly Row[], more: (count: number) => Row, max = maxRows): readonly Row[] {
  return rows.length <= max + 1 ? rows : [...rows.slice(0, max), more(rows.length - max)];
}

function specRows(
  { spaceRequired, ...spec }: PrecachingSpec,
  isWhole: boolean,
): readonly (readonly Cell[])[] {
  const rows: (readonly [string, string])[] = Object.entries(spec).flatMap(([field, value]) => {
    const texts = (typeof value === "string" ? [value] : value).filter((text) => text !== "");
    const shown = isWhole ? texts : firstRows(texts, (count) => `and ${count} more`);
    return shown.map((text, index) => [index === 0 ? `  ${field}` : "", text] as const);
  });
  return spaceRequired === "" ? rows : [...rows, ["  spaceRequired", `${spaceRequired} GiB`]];
}

const sizesHeading = ["  CLUSTER", "ACTION", "TOTAL", "MISSING", "REASON"];
const sizeText = (bytes: number | null): string => (bytes === null ? "-" : byteSize(bytes));

function sizeCells(sizes: ClusterSizes | undefined): readonly string[] {
  const { totalBytes = null, missingBytes = null } = sizes ?? {};
  return [sizeText(totalBytes), sizeText(missingBytes)];
}

function outageLine({ outage, sizes }: ForecastPlan): SafeText {
  if (!outage || !sizes) return safe``;
  const sites = sizes.sites.map(({ site }) => site);
  const where = sites.length > 0 ? ` at ${counted(sites.length, "site")} (${someOf(sites)})` : "";
  return safe`  ${outage.text} These are pulled by ${counted(sizes.clusters.length, "cluster")}${where}.\n`;
}

function sizeRows({ sites, notCounted }: PrecacheSizes, isWhole: boolean): readonly (readonly Cell[])[] {
  const ofSites = sites.map(({ site, clusters, missingBytes }) => [
    `  site ${site}`,
    counted(clusters, "cluster"),
    sizeText(missingBytes),
  ]);
  return [
    ...(isWhole ? ofSites : firstRows(ofSites, (count) => [`  and ${count} more sites`])),
    ...notCounted.map(({ name, reason }) => ["  not counted", `${name}: ${reason}`]),
  ];
}

function reasonRows(clusters: readonly PlannedCluster[]): readonly (readonly Cell[])[] {
  const same = Map.groupBy(clusters, ({ action, reason }) => `${action} ${reason}`);
  const rows = [...same.values()]
    .sort((a, b) => b.length - a.length)
    .map(([first, ...others]): readonly Cell[] =>
      first
        ? [
            `  ${counted(others.length + 1, "cluster")}`,
            painted(colours[first.action], first.action),
            first.reason,
          ]
        : [],
    );
  return firstRows(rows, (count) => [`  and ${count} more reasons: --clusters lists every cluster`]);
}

type Shown = NonNullable<ForecastPlan["forecast"]>;

function siteRows({ sites, by }: Shown): readonly (readonly Cell[])[] {
  const last = ({ expectedEnd }: Shown["sites"][number]) => Date.parse(expectedEnd ?? "") || 0;
  const rows = sites
    .toSorted((a, b) => b.late - a.late || b.failed - a.failed || last(b) - last(a))
    .map((site) => [
      `  site ${site.site}`,
      counted(site.clusters, "cluster"),
      site.expected > 0
        ? `by ${forecastTime(site.expectedEnd)}`
        : site.done === site.clusters
          ? "done"
          : "unknown",
      site.expected > 0 ? `at the latest ${forecastTime(site.latestEnd)}` : "",
      deadlineText(site, by),
    ]);
  return firstRows(rows, (count) => [`  and ${count} more sites`]);
}

function lateRows({ byCluster, by }: Shown): readonly (readonly Cell[])[] {
  const late = byCluster.filter((one) => lateness(one, by) === "late");
  const rows = late.map(({ name, expectedEnd, reason }) => [
    `  ${name}`,
    painted("red", "late"),
    expectedEnd === null ? reason : `expected by ${forecastTime(expectedEnd)}`,
  ]);
  const unknown = Map.groupBy(
    byCluster.filter((one) => one.state === "unknown" && lateness(one, by) !== "late"),
    ({ reason }) => reason,
  );
  const reasons = [...unknown]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, some]) => [`  ${counted(some.length, "cluster")}`, painted("yellow", "unknown"), reason]);
  return [
    ...firstRows(rows, (count) => [`  and ${count} more`, painted("red", "late"), ""]),
    ...firstRows(reasons, (count) => [`  and ${count} more reasons`], 3),
  ];
}

function forecastLines(forecast: Shown, isWhole: boolean): SafeText {
  const { assumptions } = forecast;
  const limits = limitsText(forecast);
  const ends = forecast.byCluster.map(({ name, expectedEnd, latestEnd, state, reason }) => [
    `  ${name}`,
    state,
    expectedEnd === null ? "" : `by ${forecastTime(expectedEnd)}`,
    latestEnd === null ? "" : `at the latest ${forecastTime(latestEnd)}`,
    reason,
  ]);
  return safe`${[
    safe`  ${painted("bold", "forecast")}  ${forecastText(forecast)}\n`,
    saysSomething(forecast) ? table(siteRows(forecast)) : safe``,
    table(lateRows(forecast)),
    limits === undefined ? safe`` : safe`  ${limits}\n`,
    isWhole ? table(ends) : safe``,
    ...(saysSomething(forecast) ? assumptions : []).map(
      (text) => safe`${painted("dim", `  assumed: ${text}`)}\n`,
    ),
  ]}`;
}

/** Renders plans with their sizes and forecasts. With `isWhole`, lists of clusters are complete. */
export function planTable(plans: readonly ForecastPlan[], isWhole = false): SafeText {
  if (plans.length === 0) return safe`No ClusterGroupUpgrades found.\n`;
  const sections = plans.map((plan) => {
    const { namespace, name, spec, conditions, clusters, sizes, forecast } = plan;
    const going = clusters.filter(({ action }) => action === "precache").length;
    const isListed = isWhole || clusters.length <= maxClusters;
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
    const listed = sizes && clusterRows.length > 0 ? [sizesHeading, ...clusterRows] : clusterRows;
    return safe`${[
      safe`${painted("bold", `${namespace}/${name}`)}: ${going} of ${counted(clusters.length, "cluster")} ${clusters.length === 1 ? "pre-caches" : "pre-cache"}\n`,
      table(specRows(spec, isWhole)),
      table(conditionRows),
      table(isListed ? listed : reasonRows(clusters)),
      sizes ? table(sizeRows(sizes, isWhole)) : safe``,
      outageLine(plan),
      forecast ? forecastLines(forecast, isWhole) : safe``,
    ]}`;
  });
  const judged = plans.map(({ forecast, ...named }) => ({ ...named, answer: forecast?.answer }));
  return safe`${dueLines(judged)}${joined(sections, safe`\n`)}`;
}
