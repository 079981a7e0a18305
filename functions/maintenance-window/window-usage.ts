import type { Condition } from "#shared/domain/kubernetes/conditions.ts";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import type { Send } from "#shared/domain/plan/plan.ts";
import { feedbackQueue } from "#shared/domain/precache-model/cluster-event.ts";
import type { ClusterRecord, Records } from "#shared/domain/precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache-model/cluster-state.ts";
import {
  labelsByCluster,
  type PlannedUpgrade,
  plannedUpgrade,
} from "#shared/domain/precache-model/planned-upgrade.ts";
import { recordsOf } from "#shared/domain/precache-model/precaching-report.ts";
import { configsOf } from "#shared/domain/precache-model/upgrade-spec.ts";
import { type CguName, cguLabels } from "#shared/domain/precache-model/work-identity.ts";
import { clusterGates } from "#shared/domain/precache-start/cluster-gates.ts";
import type { RemainingDownload } from "#shared/domain/precache-start/remaining-download.ts";
import { checksBeforeOpenings } from "#shared/domain/precache-start/rollout/check-before.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type Gate, type Gatekeeper, gatekeeper, namedWindows, nameOf } from "#shared/domain/windows/gate.ts";
import { longestOpening } from "#shared/domain/windows/openings.ts";
import type { Snapshot } from "./observe.ts";

/**
 * A cluster with more to pull than fits into any opening of its windows, and the minimum number of openings it takes.
 */
export type OversizedDownload = Readonly<{ cgu: CguName; cluster: string; openings: number }>;

/** The type of the condition about oversized downloads, set once a cluster had one. */
export const longEnough = "LongEnough";

const maxNamed = 10;

/** Returns the first ten downloads, sorted by openings, most first. */
export function largestDownloads(downloads: readonly OversizedDownload[]): readonly OversizedDownload[] {
  return downloads.toSorted((a, b) => b.openings - a.openings).slice(0, maxNamed);
}

/**
 * Returns the condition about these downloads. It has openings instead of bytes: bytes change constantly, and each
 * change would update the status.
 */
export function longEnoughCondition(downloads: readonly OversizedDownload[]): Condition {
  if (downloads.length === 0)
    return {
      type: longEnough,
      status: "True",
      reason: "RestsFit",
      message: "No cluster is known to need more than one opening.",
    };
  const more = downloads.length > maxNamed ? ` and ${downloads.length - maxNamed} more` : "";
  const named = largestDownloads(downloads).map(
    ({ cgu, cluster, openings }) =>
      sentence`${cluster} of ${cgu.namespace}/${cgu.name} (${openings} openings)`,
  );
  return {
    type: longEnough,
    status: "False",
    reason: "RestsTooLong",
    message: sentence`Clusters have more to pull than fits into one opening, and need several: ${named.join(", ")}${more}. A layer that takes longer than an opening never completes: make the window longer, or mirror the images closer to the clusters.`,
  };
}

/**
 * The clusters that pull in an opening of a window, and those that wait for one: their number, the first names, and
 * their upgrades. The lists are bounded, because the names of a fleet would fill the object.
 */
export type WindowUsage = Readonly<{
  inside: number;
  waiting: number;
  insideClusters?: readonly string[];
  waitingClusters?: readonly string[];
  upgrades?: readonly Readonly<{ namespace: string; name: string; inside: number; waiting: number }>[];
}>;

const maxClusters = 10;
const maxUpgrades = 20;

/**
 * A cluster that windows restrict. `openings` is set only when its remaining download does not fit into one opening.
 */
type WindowCluster = Readonly<{ cluster: string; isInside: boolean; hasSomethingToDo: boolean }> &
  Readonly<{ gate: Gate; openings?: number }>;

function windowClusterOf(
  cluster: string,
  state: string | undefined,
  record: ClusterRecord | undefined,
  gate: Gate,
  isTooLate: boolean,
): WindowCluster | undefined {
  if (isFinalState(state)) return undefined;
  const isRunning = isRunningState(state);
  const isSuspended = record?.reason === "Suspended";
  // A cluster whose window was deleted must not stay suspended forever.
  if (gate.windows.length === 0)
    return isRunning && isSuspended
      ? { cluster, gate, isInside: false, hasSomethingToDo: record.suspend !== false }
      : undefined;
  if (gate.isOpen) {
    const mayStart = isRunning
      ? isSuspended && record.suspend !== false
      : record?.reason !== "ClusterNotReached";
    const hasSomethingToDo = mayStart && !isTooLate;
    return { cluster, gate, isInside: isRunning && !isSuspended, hasSomethingToDo };
  }
  const mayFinish = isRunning && gate.atEnd === "Finish" && state !== "PreparingToStart";
  const isToStop = isRunning && !isSuspended && !mayFinish && !record?.suspend;
  return { cluster, gate, isInside: mayFinish, hasSomethingToDo: isToStop };
}

/** Returns the length of the longest opening in milliseconds, by window name, for windows that allow pre-caching. */
function openingLengths(windows: readonly KubernetesObject[], now: Date): ReadonlyMap<string, number> {
  return new Map(
    namedWindows(windows).flatMap((one): [string, number][] =>
      "window" in one && one.window.allow.preCaching ? [[nameOf(one), longestOpening(one.window, now)]] : [],
    ),
  );
}

/**
 * Returns the minimum number of openings for a download, when one is not enough. A run that may finish after the end
 * needs only one.
 */
function openingsFor(
  remaining: RemainingDownload | undefined,
  { atEnd, windows }: Gate,
  lengths: ReadonlyMap<string, number>,
): Pick<WindowCluster, "openings"> {
  const longest = Math.max(0, ...windows.map((name) => lengths.get(name) ?? 0));
  if (!remaining || atEnd === "Finish" || longest === 0) return {};
  const openings = Math.ceil((remaining.seconds * 1000) / longest);
  return openings > 1 ? { openings } : {};
}

function recordsFor({ name, revision }: PlannedUpgrade, { reports }: Snapshot): Records {
  const ownLabels = Object.entries(cguLabels(name));
  const ofThis = reports.filter(({ metadata }) =>
    ownLabels.every(([label, value]) => ownValue(metadata.labels, label) === value),
  );
  return recordsOf(ofThis, revision);
}

/** True when the next opening requires that a cluster is checked, or pre-cached again. */
function isCheckDue(
  cgu: KubernetesObject,
  records: Records,
  { windows, configs, managedClusters, now }: Snapshot,
): boolean {
  const labelsOf = labelsByCluster(managedClusters);
  const due = checksBeforeOpenings({ cgu, configs: configsOf(cgu, configs), windows, labelsOf }, now);
  return records.entries().some(([cluster, record]) => due(cluster, record) !== undefined);
}

function windowClustersOf(
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  records: Records,
  { configs, managedClusters, now }: Snapshot,
  gate: Gatekeeper,
  lengths: ReadonlyMap<string, number>,
): readonly WindowCluster[] {
  const annotatedObjects = [cgu, ...configsOf(cgu, configs)];
  const labelsOf = labelsByCluster(managedClusters);
  const gates = clusterGates({ annotatedObjects, upgrade, records, labelsOf, gate, now });
  return upgrade.clusters.flatMap((cluster) => {
    const decisive = gates.gateOf(cluster);
    const isTooLate = gates.tooLateFor(cluster) !== undefined;
    const state = ownValue(upgrade.states, cluster);
    const windowCluster = windowClusterOf(cluster, state, records.get(cluster), decisive, isTooLate);
    return windowCluster
      ? { ...windowCluster, ...openingsFor(gates.remainingDownloadOf(cluster), decisive, lengths) }
      : [];
  });
}

type Visit = Readonly<{ cluster: string; upgrade: CguName; isInside: boolean }>;

function append<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const items = map.get(key) ?? [];
  items.push(item);
  map.set(key, items);
}

function usageOf(visits: readonly Visit[]): WindowUsage {
  const [inside, waiting] = [true, false].map((wanted) =>
    visits.filter(({ isInside }) => isInside === wanted),
  );
  const namesOf = (some: readonly Visit[] = []) => some.slice(0, maxClusters).map(({ cluster }) => cluster);
  const upgrades = [...Map.groupBy(visits, ({ upgrade }) => upgrade)].map(([{ namespace, name }, own]) => {
    const count = own.filter(({ isInside }) => isInside).length;
    return { namespace, name, inside: count, waiting: own.length - count };
  });
  return {
    inside: inside?.length ?? 0,
    waiting: waiting?.length ?? 0,
    ...(inside?.length ? { insideClusters: namesOf(inside) } : {}),
    ...(waiting?.length ? { waitingClusters: namesOf(waiting) } : {}),
    ...(upgrades.length > 0 ? { upgrades: upgrades.slice(0, maxUpgrades) } : {}),
  };
}

/**
 * Returns the clusters inside each window and those that wait, the downloads that do not fit into its openings, and a
 * message for each upgrade with clusters that have to start, continue or stop. All of it follows from the current
 * state, so the next reconcile repeats what was lost.
 */
export function windowUsage(snapshot: Snapshot): Readonly<{
  usage: ReadonlyMap<string, WindowUsage>;
  oversizedDownloads: ReadonlyMap<string, readonly OversizedDownload[]>;
  sends: readonly Send[];
}> {
  const { now, hubId, windows, upgrades } = snapshot;
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, snapshot);
  const lengths = openingLengths(windows, now);
  const visits = new Map<string, Visit[]>();
  const oversizedDownloads = new Map<string, OversizedDownload[]>();
  const sends: Send[] = [];
  for (const cgu of upgrades) {
    const upgrade = plannedUpgrade(cgu);
    if (!upgrade || upgrade.isOver) continue;
    const records = recordsFor(upgrade, snapshot);
    const windowClusters = windowClustersOf(cgu, upgrade, records, snapshot, gate, lengths);
    for (const { cluster, gate: own, isInside, openings } of windowClusters) {
      for (const window of own.windows) {
        append(visits, window, { cluster, upgrade: upgrade.name, isInside });
        if (openings !== undefined)
          append(oversizedDownloads, window, { cgu: upgrade.name, cluster, openings });
      }
    }
    const mayRun = windowClusters.some(({ hasSomethingToDo }) => hasSomethingToDo);
    if (!mayRun && !isCheckDue(cgu, records, snapshot)) continue;
    const events = [hubEvent("add", referenceTo(cgu), { source: hubId })];
    const reason = mayRun
      ? "its clusters may start, continue or stop with their windows"
      : "its clusters are to be checked before an opening";
    sends.push({ queue: feedbackQueue, events, reason });
  }
  const usage = new Map([...visits].map(([window, some]) => [window, usageOf(some)]));
  return { usage, oversizedDownloads, sends };
}
