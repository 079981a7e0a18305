import { byCodeUnit, isRecord } from "../../kubernetes/json/values.ts";
import { type KubernetesObject, namespaceOf, timestamp } from "../../kubernetes/object.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { type ClusterState, isFinalState, type RunReason } from "../../precache-model/cluster-state.ts";
import { conditionTypes, storedCondition, storedConditions } from "../../precache-model/conditions.ts";
import { plannedUpgrade } from "../../precache-model/planned-upgrade.ts";
import { recordsOf, reportsOf } from "../../precache-model/precaching-report.ts";
import { readUpgradeSpec } from "../../precache-model/upgrade-spec.ts";
import { isOver } from "../../precache-plan/plan-all.ts";
import { precachingOwner } from "../../precache-plan/precaching-owner.ts";
import { leftToImageBasedUpgrade } from "../../precache-plan/selection/image-based-upgrades.ts";
import { selectClusters } from "../../precache-plan/selection/select-clusters.ts";
import { heldBackBy, noWindows, type WindowSources } from "../../precache-start/cluster-gates.ts";
import { nextDeadline } from "../deadlines.ts";
import type { Forecast } from "../forecast/forecast.ts";

/** The progress of one cluster, for display and JSON output. */
export type ClusterProgress = Readonly<
  { name: string; reason: RunReason | typeof waitsForWindow } & Pick<
    ClusterRecord,
    "state" | "message" | "attempt"
  > &
    Partial<
      Pick<ClusterRecord, "since" | "imagesDone" | "imagesTotal" | "bytesDone" | "bytesTotal" | "check">
    > & {
      /** In RFC 3339; absent if no attempt runs, or while the attempt waits for the cluster's agent. */
      deadline?: string;
    }
>;

/** The progress of a ClusterGroupUpgrade's pre-caching. */
export type FleetStatus = Readonly<{
  namespace: string;
  name: string;
  /** The reason in the upgrade's condition `PrecachingSuceeded`; empty until the condition is set. */
  reason: string;
  message: string;
  revision: string;
  total: number;
  /** The number of clusters by state; clusters without a state count as NotStarted. */
  states: Readonly<Partial<Record<ClusterState, number>>>;
  ended: number;
  /** When the last cluster is expected to end; absent unless the ends of all clusters are known. */
  estimatedEnd?: string;
  /** Absent if all clusters have ended, or if the objects that forecasts need were not read. */
  forecast?: Forecast;
  clusters: readonly ClusterProgress[];
  /** Selected clusters that an ImageBasedGroupUpgrade handles; absent without such clusters. */
  leftAlone?: readonly Readonly<{ name: string; reason: string }>[];
}>;

/** The objects from which a fleet's status is computed, besides the upgrade and its reports. */
export type FleetSources = WindowSources & Readonly<{ imageBasedUpgrades?: readonly KubernetesObject[] }>;

/** The reason of a cluster that has not started because its windows are closed. */
export const waitsForWindow = "WaitsForWindow";

const notStarted: Pick<ClusterRecord, "state" | "reason" | "message" | "attempt"> &
  Partial<Pick<ClusterRecord, "suspend" | "started">> = {
  state: "NotStarted",
  reason: "Waiting",
  message: "",
  attempt: 1,
};

/** Returns the progress with the reason why windows hold the cluster back (`held`). */
function withWindow(progress: ClusterProgress, held: string | undefined): ClusterProgress {
  if (held === undefined) return progress;
  if (progress.reason === "Suspended") return { ...progress, message: `${progress.message} ${held}` };
  return progress.reason === notStarted.reason
    ? { ...progress, reason: waitsForWindow, message: held }
    : progress;
}

function leftAlone(
  cgu: KubernetesObject,
  planned: readonly string[],
  { imageBasedUpgrades = [], managedClusters }: FleetSources,
): Pick<FleetStatus, "leftAlone"> {
  if (imageBasedUpgrades.length === 0) return {};
  const selection = selectClusters(readUpgradeSpec(cgu), managedClusters, true);
  const why = leftToImageBasedUpgrade(imageBasedUpgrades);
  const isPlanned = new Set(planned);
  const left = (selection.ok ? selection.clusters : []).flatMap((cluster) => {
    const { name } = cluster.metadata;
    const reason = isPlanned.has(name) ? undefined : why(cluster);
    return reason === undefined ? [] : [{ name, reason }];
  });
  return left.length > 0 ? { leftAlone: left } : {};
}

function unplannedStatus(cgu: KubernetesObject, sources: FleetSources, now: Date): FleetStatus | undefined {
  const isPlannedByUs = isRecord(cgu.status) && precachingOwner(cgu, [], now).by === "hubrelay";
  if (!isPlannedByUs || isOver(cgu)) return undefined;
  const left = leftAlone(cgu, [], sources);
  if (!left.leftAlone) return undefined;
  return {
    namespace: namespaceOf(cgu),
    name: cgu.metadata.name,
    reason: "",
    message: "",
    revision: "",
    total: 0,
    states: {},
    ended: 0,
    clusters: [],
    ...left,
  };
}

/** Returns the progress of an upgrade; undefined if there is nothing to show. */
export function fleetStatus(
  cgu: KubernetesObject,
  reports: readonly KubernetesObject[],
  now: Date,
  sources: FleetSources = noWindows,
): FleetStatus | undefined {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) return unplannedStatus(cgu, sources, now);
  const records = recordsOf(reportsOf(cgu, reports), upgrade.revision);
  const heldBack = heldBackBy(cgu, upgrade, records, sources, now);
  const clusters = upgrade.clusters.map((name): ClusterProgress => {
    const record = records.get(name);
    const { suspend: _suspend, started: _started, ...progress } = record ?? notStarted;
    const due =
      record && record.reason !== "WaitsForAgent" ? nextDeadline(record, upgrade.timeoutMinutes) : undefined;
    const deadline = due ? { deadline: timestamp(due) } : {};
    return withWindow({ name, ...progress, ...deadline }, heldBack(name));
  });
  const byState = Object.groupBy(clusters, ({ state }) => state);
  const states = Object.fromEntries(
    Object.entries(byState)
      .map(([state, some = []]) => [state, some.length] as const)
      .sort(([a], [b]) => byCodeUnit(a, b)),
  );
  const condition = storedCondition(storedConditions(cgu.status), conditionTypes.precachingSucceeded);
  return {
    ...upgrade.name,
    reason: String(condition?.reason ?? ""),
    message: String(condition?.message ?? ""),
    revision: upgrade.revision,
    total: clusters.length,
    states,
    ended: clusters.filter(({ state }) => isFinalState(state)).length,
    clusters,
    ...leftAlone(cgu, upgrade.clusters, sources),
  };
}
