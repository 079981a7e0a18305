import { byCodeUnit } from "../../json/order.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { type ClusterState, isFinalState } from "../model/cluster-state.ts";
import { conditionTypes, storedCondition, storedConditions } from "../model/conditions.ts";
import { cguLabels } from "../work/work-identity.ts";
import type { ClusterRecord } from "./cluster-record.ts";
import { heldBackBy, noWindows, type WindowSources } from "./held-back.ts";
import { plannedUpgrade } from "./planned-upgrade.ts";
import { recordsOf } from "./precaching-report.ts";

/** One cluster of a fleet, as a person or a program is told of it. */
export type ClusterProgress = Readonly<
  { name: string } & Pick<ClusterRecord, "state" | "reason" | "message" | "attempt"> &
    Partial<Pick<ClusterRecord, "since" | "imagesDone" | "imagesTotal" | "bytesDone" | "bytesTotal">>
>;

/** How far a ClusterGroupUpgrade's pre-caching is. */
export type FleetStatus = Readonly<{
  namespace: string;
  name: string;
  /** Reason and message of the condition `PrecachingSuceeded`; empty before it is there. */
  reason: string;
  message: string;
  revision: string;
  total: number;
  /** Clusters by state, those without one as NotStarted. */
  states: Readonly<Partial<Record<ClusterState, number>>>;
  ended: number;
  /** When the last cluster will have ended if the others go on as those before; absent while that says nothing. */
  estimatedEnd?: string;
  /** In the order of the plan. */
  clusters: readonly ClusterProgress[];
}>;

/** The reason of a cluster that has not started because a window is shut, or too short for what it has to pull. */
export const waitsForWindow = "WaitsForWindow";

const notStarted: Pick<ClusterRecord, "state" | "reason" | "message" | "attempt"> &
  Partial<Pick<ClusterRecord, "seen" | "started">> = {
  state: "NotStarted",
  reason: "Waiting",
  message: "",
  attempt: 1,
};

/** Ends go on as they did from the first start to now; too few of them say nothing. */
function estimate(records: readonly ClusterRecord[], total: number, now: Date): string | undefined {
  const ended = records.filter(({ state }) => isFinalState(state)).length;
  const starts = records.flatMap(({ started }) => (started ? [Date.parse(started)] : []));
  if (ended === 0 || ended === total || ended * 20 < total) return undefined;
  const elapsed = now.getTime() - starts.reduce((first, time) => Math.min(first, time), now.getTime());
  return new Date(now.getTime() + (elapsed / ended) * (total - ended)).toISOString();
}

/** What a window keeps back tells that: of what waits nothing else is known, of what is suspended that it is. */
function withWindow(progress: ClusterProgress, held: string | undefined): ClusterProgress {
  if (held === undefined) return progress;
  if (progress.reason === "Suspended") return { ...progress, message: `${progress.message} ${held}` };
  return progress.reason === notStarted.reason
    ? { ...progress, reason: waitsForWindow, message: held }
    : progress;
}

/**
 * Reads how far an upgrade is from its status and its reports, and which windows keep its clusters back where those are
 * given; undefined when nothing of it is planned.
 */
export function fleetStatus(
  cgu: KubernetesObject,
  reports: readonly KubernetesObject[],
  now: Date,
  windows: WindowSources = noWindows,
): FleetStatus | undefined {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) return undefined;
  const own = Object.entries(cguLabels(upgrade.name));
  const ofThis = reports.filter(
    ({ metadata }) =>
      metadata.namespace === upgrade.name.namespace &&
      own.every(([label, value]) => metadata.labels?.[label] === value),
  );
  const records = recordsOf(ofThis, upgrade.revision);
  const heldBack = heldBackBy(cgu, upgrade, records, windows, now);
  const clusters = upgrade.clusters.map((name): ClusterProgress => {
    const { seen: _seen, started: _started, ...told } = records.get(name) ?? notStarted;
    return withWindow({ name, ...told }, heldBack(name));
  });
  const byState = Object.groupBy(clusters, ({ state }) => state);
  const states = Object.fromEntries(
    Object.entries(byState)
      .map(([state, some = []]) => [state, some.length] as const)
      .sort(([a], [b]) => byCodeUnit(a, b)),
  );
  const condition = storedCondition(storedConditions(cgu.status), conditionTypes.precachingSucceeded);
  const estimatedEnd = estimate([...records.values()], clusters.length, now);
  return {
    ...upgrade.name,
    reason: String(condition?.reason ?? ""),
    message: String(condition?.message ?? ""),
    revision: upgrade.revision,
    total: clusters.length,
    states,
    ended: clusters.filter(({ state }) => isFinalState(state)).length,
    ...(estimatedEnd ? { estimatedEnd } : {}),
    clusters,
  };
}
