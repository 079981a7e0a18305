import { byCodeUnit, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Records } from "../../precache-model/cluster-record.ts";
import { isFinalState } from "../../precache-model/cluster-state.ts";
import {
  architectureOf,
  labelsByCluster,
  type PlannedUpgrade,
  reportedTotals,
  siteLabelOf,
} from "../../precache-model/planned-upgrade.ts";
import type { CompletePull } from "../../precache-model/precaching-report.ts";
import { configsOf } from "../../precache-model/upgrade-spec.ts";
import { enableAnnotation, enableTimeOf } from "../../precache-start/rollout/rollout-annotations.ts";
import type { Surroundings } from "../../precache-start/slot-changes.ts";
import { limitText } from "../../precache-start/slots.ts";
import { byteSize, counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { closedWindows } from "./closed-windows.ts";
import { type Simulation, simulation } from "./simulation.ts";
import { type KnownSpeed, knownSpeeds } from "./speeds.ts";

/** What a forecast is computed from. */
export type ForecastInput = Readonly<{
  cgu: KubernetesObject;
  upgrade: PlannedUpgrade;
  records: Records;
  surroundings: Surroundings;
  /** Each cluster's last complete pull, in any upgrade. */
  pulls: ReadonlyMap<string, CompletePull>;
  /** Returns the size in bytes of a cluster's whole download; undefined if it is unknown. */
  measuredBytesOf?(cluster: string): number | undefined;
  /** The size in bytes to assume for a download of unknown size; the real size may be less. */
  atMostBytes?: number;
  /** Selected clusters that are not planned yet, each with the reason why it waits. */
  unplanned?: ReadonlyMap<string, string>;
  /** Each cluster's own due time, which replaces the common due time. */
  dueByCluster?: ReadonlyMap<string, Date>;
  now: Date;
}>;

/** What a forecast knows about a cluster. `expected`: it is known when the cluster will have every image. */
export type ForecastState = "done" | "failed" | "expected" | "unknown";

/** The forecast of one cluster's pre-caching. Times are in RFC 3339, null if unknown. */
export type ClusterForecast = Readonly<{
  name: string;
  site: string | null;
  state: ForecastState;
  expectedEnd: string | null;
  /** The cluster's end if all clusters pull at their slowest likely speeds. */
  latestEnd: string | null;
  /** The earliest time at which windows let the cluster finish; null if never, absent if they cause no delay. */
  notBefore?: string | null;
  /** The cluster's own due time; absent without one. */
  by?: string;
  /** Why the cluster has failed or its end is unknown; empty otherwise. */
  reason: string;
}>;

/** The number of clusters in each state, and the end of the last cluster. */
export type EndForecast = Readonly<Record<ForecastState, number>> &
  Readonly<{
    clusters: number;
    /** When the last cluster in the state `expected` ends; null without such a cluster. */
    expectedEnd: string | null;
    latestEnd: string | null;
    /** The number of clusters that have failed, can never end because of windows, or end after the due time. */
    late: number;
    /** The number of clusters that may end after the due time; absent without a due time. */
    atRisk?: number;
  }>;

export type SiteForecast = EndForecast & Readonly<{ site: string }>;

export type Forecast = EndForecast &
  Readonly<{
    /** The due time in RFC 3339, from the request or else from the upgrade; absent without one. */
    by?: string;
    /** One line that says whether all clusters are done by the requested time; absent without a request. */
    answer?: string;
    sites: readonly SiteForecast[];
    assumptions: readonly string[];
    /** The limits that clusters had to wait for; absent without any, or if no clusters but failed ones are late. */
    limits?: readonly string[];
    byCluster: readonly ClusterForecast[];
  }>;

const horizonDays = 31;
/** In a simulation, a cluster begins to pull `startMs` milliseconds after its start, at `share` times its speed. */
const cases = {
  expected: { startMs: 30_000, share: 1 },
  slow: { startMs: 120_000, share: 0.8 },
} as const;

type Known = Readonly<{
  bytesOf(cluster: string): number | undefined;
  speedOf(cluster: string): KnownSpeed | undefined;
}>;

const horizonOf = ({ now }: ForecastInput): Date => new Date(now.getTime() + horizonDays * 86_400_000);

function simulated(
  input: ForecastInput,
  { bytesOf, speedOf }: Known,
  { startMs, share }: (typeof cases)[keyof typeof cases],
): Simulation {
  const future = simulation({
    ...input,
    assumed: {
      bytesTotalOf: bytesOf,
      speedOf(cluster) {
        const speed = speedOf(cluster);
        return speed && { ...speed, mbit: speed.mbit * share };
      },
      startMs,
    },
  });
  while (future.step(horizonOf(input)));
  return future;
}

function totals(
  { records, measuredBytesOf }: ForecastInput,
  labelsOf: ReturnType<typeof labelsByCluster>,
): (cluster: string) => number | undefined {
  const reported = reportedTotals(records, labelsOf);
  return (cluster) => {
    const { bytesTotal = 0 } = records.get(cluster) ?? {};
    const ofOthers = reported.get(architectureOf(labelsOf(cluster))) ?? 0;
    return Math.max(bytesTotal, ofOthers) || measuredBytesOf?.(cluster);
  };
}

const dueText = (cgu: KubernetesObject): string =>
  enableTimeOf(cgu)
    ? sentence`Clusters are late that end after the time in ${enableAnnotation}.`
    : sentence`No time to be done by is known: clusters are late that fail, or that no opening within ${horizonDays} days finishes.`;

/** Returns the assumptions of this forecast. The assumptions of all forecasts are in docs/reference/precaching.md. */
function assumptionsOf(
  { cgu }: ForecastInput,
  clusters: readonly string[],
  { speedOf, bytesOf }: Known,
  asked: Date | undefined,
): readonly string[] {
  const sources = Map.groupBy(clusters, (cluster) => speedOf(cluster)?.source ?? "unknown");
  const speeds = [...sources].map(([source, some]) =>
    source === "unknown"
      ? sentence`unknown for ${counted(some.length, "cluster")}`
      : sentence`from ${source} for ${counted(some.length, "cluster")}`,
  );
  const bytes = [...new Set(clusters.flatMap((cluster) => bytesOf(cluster) ?? []))];
  const most = Math.max(...bytes);
  return [
    bytes.length === 0
      ? "The size of the content is unknown."
      : sentence`Each cluster pulls up to ${byteSize(most)}; what it has not reported is not there yet.`,
    ...(clusters.length > 0 ? [sentence`Speeds are ${speeds.join(", ")}.`] : []),
    ...(asked ? [] : [dueText(cgu)]),
  ];
}

const lastOf = (times: readonly (string | null)[]): string | null =>
  times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), null);

/** Returns whether a cluster is late or at risk. `ofAll` is the due time of clusters without an own due time. */
export function lateness(
  { state, expectedEnd, latestEnd, notBefore, by: own }: ClusterForecast,
  ofAll: string | undefined,
): "late" | "at risk" | "" {
  const by = own ?? ofAll;
  if (state === "failed" || notBefore === null) return "late";
  if (by === undefined) return "";
  if (notBefore !== undefined && Date.parse(notBefore) >= Date.parse(by)) return "late";
  if (expectedEnd === null) return "";
  if (Date.parse(expectedEnd) > Date.parse(by)) return "late";
  return state === "expected" && (latestEnd === null || Date.parse(latestEnd) > Date.parse(by))
    ? "at risk"
    : "";
}

function endForecast(clusters: readonly ClusterForecast[], by: string | undefined): EndForecast {
  const count = (state: ForecastState) => clusters.filter((one) => one.state === state).length;
  const expected = clusters.filter(({ state }) => state === "expected");
  const countLate = (what: "late" | "at risk") => clusters.filter((one) => lateness(one, by) === what).length;
  return {
    clusters: clusters.length,
    done: count("done"),
    failed: count("failed"),
    expected: expected.length,
    unknown: count("unknown"),
    expectedEnd: lastOf(expected.map(({ expectedEnd }) => expectedEnd)),
    latestEnd: expected.some(({ latestEnd }) => latestEnd === null)
      ? null
      : lastOf(expected.map(({ latestEnd }) => latestEnd)),
    late: countLate("late"),
    ...(by ? { atRisk: countLate("at risk") } : {}),
  };
}

/** Returns when each cluster of an upgrade has its images. `asked` replaces the due time in `enableAnnotation`. */
export function forecast(input: ForecastInput, asked?: Date): Forecast {
  const { cgu, upgrade, records, surroundings } = input;
  const by = (asked ?? enableTimeOf(cgu))?.toISOString();
  const annotatedObjects = [cgu, ...configsOf(cgu, surroundings.configs)];
  const labelsOf = labelsByCluster(surroundings.managedClusters);
  const siteLabel = siteLabelOf(annotatedObjects) ?? "";
  const totalOf = totals(input, labelsOf);
  const speeds = knownSpeeds(annotatedObjects, input.pulls, labelsOf);
  // The speed of each cluster is computed once: both simulations and the assumptions use it.
  const speedByCluster = new Map(upgrade.clusters.map((cluster) => [cluster, speeds(cluster)]));
  const bytesOf = (cluster: string) => totalOf(cluster) ?? input.atMostBytes;
  const speedOf = (cluster: string) => speedByCluster.get(cluster);
  const known = { bytesOf, speedOf };
  const expected = simulated(input, known, cases.expected);
  const slow = simulated(input, known, cases.slow);
  const waiting = expected.waiting();
  const open = upgrade.clusters.filter((cluster) => !isFinalState(records.get(cluster)?.state));
  const isBound = input.atMostBytes !== undefined && open.some((cluster) => totalOf(cluster) === undefined);
  const isComplete = !isBound && open.every((cluster) => bytesOf(cluster) !== undefined && speedOf(cluster));
  const closed = closedWindows(input, { isComplete, end: horizonOf(input) });

  const forecastOf = (cluster: string): ClusterForecast => {
    const record = expected.records.get(cluster);
    const due = input.dueByCluster?.get(cluster)?.toISOString();
    const site = ownValue(labelsOf(cluster), siteLabel) ?? null;
    const base = { name: cluster, site, ...(due ? { by: due } : {}) };
    if (record?.state === "Succeeded") {
      const isDone = records.get(cluster)?.state === "Succeeded";
      const slowest = slow.records.get(cluster);
      const dueAt = due ?? by;
      if (isBound && !isDone && dueAt !== undefined && Date.parse(record.since ?? "") > Date.parse(dueAt))
        return {
          ...base,
          state: "unknown",
          expectedEnd: null,
          latestEnd: null,
          reason: sentence`With all ${byteSize(input.atMostBytes ?? 0)} of spaceRequired it is late; its download is unknown: --size gives it.`,
        };
      return {
        ...base,
        state: isDone ? "done" : "expected",
        expectedEnd: record.since,
        latestEnd: slowest?.state === "Succeeded" ? slowest.since : null,
        reason: "",
      };
    }
    const nothing = { ...base, expectedEnd: null, latestEnd: null };
    if (record && isFinalState(record.state)) {
      const { reason, message } = record;
      return { ...nothing, state: "failed", reason: sentence`${reason}: ${message}` };
    }
    const kept = closed(cluster, record);
    const why =
      kept?.notBefore === null
        ? (waiting.get(cluster) ?? kept.reason)
        : bytesOf(cluster) === undefined
          ? "The size of its download is unknown: --sizes queries registries, and the first run reports it."
          : speedOf(cluster) === undefined
            ? "Its speed is unknown."
            : (waiting.get(cluster) ?? record?.message ?? "");
    const until = kept ? { notBefore: kept.notBefore } : {};
    return { ...nothing, state: "unknown", ...until, reason: why };
  };
  const isPlanned = new Set(upgrade.clusters);
  const unplanned = [...(input.unplanned ?? [])].flatMap(([name, reason]): ClusterForecast[] => {
    const site = ownValue(labelsOf(name), siteLabel) ?? null;
    const unknown = { name, site, state: "unknown", expectedEnd: null, latestEnd: null, reason } as const;
    return isPlanned.has(name) ? [] : [unknown];
  });
  const byCluster = [...upgrade.clusters.map(forecastOf), ...unplanned];
  const bySite = Map.groupBy(byCluster, ({ site }) => site);
  const ofAll = endForecast(byCluster, by);
  const limits = ofAll.late > ofAll.failed ? expected.fullLimits() : [];
  return {
    ...ofAll,
    ...(by ? { by } : {}),
    sites: [...bySite]
      .flatMap(([site, some]) => (site === null ? [] : [{ site, ...endForecast(some, by) }]))
      .sort((a, b) => byCodeUnit(a.site, b.site)),
    assumptions: assumptionsOf(input, open, known, asked),
    ...(limits.length > 0 && { limits: limits.map(limitText) }),
    byCluster,
  };
}
