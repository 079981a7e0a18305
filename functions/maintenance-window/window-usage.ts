import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Send } from "#shared/domain/plan/plan.ts";
import { clusterEvent, clusterQueue } from "#shared/domain/precache/model/cluster-event.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/model/cluster-state.ts";
import { configsOf } from "#shared/domain/precache/plan/values/pre-caching-config.ts";
import { type ClusterRecord, isPulling } from "#shared/domain/precache/progress/cluster-record.ts";
import { type PlannedUpgrade, plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { recordsOf } from "#shared/domain/precache/progress/precaching-report.ts";
import {
  type RemainingDownload,
  remainingDownloads,
  sharedLinks,
  tooLate,
} from "#shared/domain/precache/progress/remaining-download.ts";
import { type CguName, cguLabels } from "#shared/domain/precache/work/work-identity.ts";
import { type Gate, type Gatekeeper, gatekeeper, namedWindows } from "#shared/domain/windows/gate.ts";
import { nameOf } from "#shared/domain/windows/window-names.ts";
import type { Snapshot } from "./observe.ts";
import type { OversizedDownload } from "./oversized-downloads.ts";

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

const mostClusters = 10;
const mostUpgrades = 20;

/**
 * A cluster that windows restrict. `openings` is set only when its remaining download does not fit into one opening.
 */
type WindowCluster = Readonly<{ cluster: string; isInside: boolean; hasSomethingToDo: boolean }> &
  Readonly<{ gate: Gate; openings?: number }>;

/** The number of clusters triggered for free slots at a time: more are triggered when those have progressed. */
const maxTriggered = 200;

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
    return isRunning && isSuspended ? { cluster, gate, isInside: false, hasSomethingToDo: true } : undefined;
  if (gate.isOpen) {
    const mayStart = isRunning ? isSuspended : record?.reason !== "ClusterNotReached";
    const hasSomethingToDo = mayStart && !isTooLate;
    return { cluster, gate, isInside: isRunning && !isSuspended, hasSomethingToDo };
  }
  const mayFinish = isRunning && gate.atEnd === "Finish" && state !== "PreparingToStart";
  return { cluster, gate, isInside: mayFinish, hasSomethingToDo: isRunning && !isSuspended && !mayFinish };
}

/** Returns the length of an opening in milliseconds, by window name, for windows that allow pre-caching. */
function openingLengths(windows: readonly KubernetesObject[]): ReadonlyMap<string, number> {
  return new Map(
    namedWindows(windows).flatMap((one): [string, number][] =>
      "window" in one && one.window.allow.preCaching ? [[nameOf(one), one.window.duration]] : [],
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

function windowClustersOf(
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  { configs, reports, managedClusters, now }: Snapshot,
  gate: Gatekeeper,
  lengths: ReadonlyMap<string, number>,
): readonly WindowCluster[] {
  const labels = new Map(managedClusters.map(({ metadata }) => [metadata.name, metadata.labels]));
  const ownLabels = Object.entries(cguLabels(upgrade.name));
  const ofThis = reports.filter(({ metadata }) =>
    ownLabels.every(([label, value]) => metadata.labels?.[label] === value),
  );
  const records = recordsOf(ofThis, upgrade.revision);
  const windowReferrers = [cgu, ...configsOf(cgu, configs)];
  const remainingDownloadOf = remainingDownloads(windowReferrers, records, (cluster) => labels.get(cluster));
  const links = sharedLinks(remainingDownloadOf);
  for (const cluster of upgrade.clusters)
    if (isPulling(upgrade.states[cluster], records.get(cluster))) links.use(cluster);
  return upgrade.clusters.flatMap((cluster) => {
    const decisive = gate(windowReferrers, labels.get(cluster));
    const remaining = remainingDownloadOf(cluster);
    const isTooLate = tooLate(decisive, remaining, now, links.besides(cluster)) !== undefined;
    const state = upgrade.states[cluster];
    const windowCluster = windowClusterOf(cluster, state, records.get(cluster), decisive, isTooLate);
    return windowCluster ? { ...windowCluster, ...openingsFor(remaining, decisive, lengths) } : [];
  });
}

/** Returns the clusters to trigger: all that run, and as many others as there are free slots. */
function clustersToTrigger(
  { clusters, maxConcurrency, states }: PlannedUpgrade,
  windowClusters: readonly WindowCluster[],
) {
  const running = clusters.filter((cluster) => isRunningState(states[cluster])).length;
  const slots = maxConcurrency >= 1 ? Math.min(maxConcurrency, clusters.length) : clusters.length;
  let free = Math.min(maxTriggered, Math.max(slots - running, 0));
  return windowClusters.filter(
    ({ cluster, hasSomethingToDo }) => hasSomethingToDo && (isRunningState(states[cluster]) || free-- > 0),
  );
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
  const namesOf = (some: readonly Visit[] = []) => some.slice(0, mostClusters).map(({ cluster }) => cluster);
  const upgrades = [...Map.groupBy(visits, ({ upgrade }) => upgrade)].map(([{ namespace, name }, own]) => {
    const count = own.filter(({ isInside }) => isInside).length;
    return { namespace, name, inside: count, waiting: own.length - count };
  });
  return {
    inside: inside?.length ?? 0,
    waiting: waiting?.length ?? 0,
    ...(inside?.length ? { insideClusters: namesOf(inside) } : {}),
    ...(waiting?.length ? { waitingClusters: namesOf(waiting) } : {}),
    ...(upgrades.length > 0 ? { upgrades: upgrades.slice(0, mostUpgrades) } : {}),
  };
}

/**
 * Returns the clusters inside each window and those that wait, the downloads that do not fit into its openings, and
 * hints for the clusters that have to start, continue or stop. All of it follows from the current state, so the next
 * reconcile repeats what was lost.
 */
export function windowUsage(snapshot: Snapshot): Readonly<{
  usage: ReadonlyMap<string, WindowUsage>;
  oversizedDownloads: ReadonlyMap<string, readonly OversizedDownload[]>;
  sends: readonly Send[];
}> {
  const { now, hubId, windows, upgrades } = snapshot;
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, now);
  const lengths = openingLengths(windows);
  const visits = new Map<string, Visit[]>();
  const oversizedDownloads = new Map<string, OversizedDownload[]>();
  const sends: Send[] = [];
  for (const cgu of upgrades) {
    const upgrade = plannedUpgrade(cgu);
    if (!upgrade || upgrade.isOver) continue;
    const windowClusters = windowClustersOf(cgu, upgrade, snapshot, gate, lengths);
    for (const { cluster, gate: own, isInside, openings } of windowClusters) {
      for (const window of own.windows) {
        append(visits, window, { cluster, upgrade: upgrade.name, isInside });
        if (openings !== undefined)
          append(oversizedDownloads, window, { cgu: upgrade.name, cluster, openings });
      }
    }
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    const reference: ObjectReference = { apiVersion, kind, ...upgrade.name };
    const events = clustersToTrigger(upgrade, windowClusters).map(({ cluster }) =>
      clusterEvent(reference, cluster, { source: hubId }),
    );
    const reason = `${events.length} clusters start, continue or stop with their windows`;
    if (events.length > 0) sends.push({ queue: clusterQueue, events, reason });
  }
  const usage = new Map([...visits].map(([window, some]) => [window, usageOf(some)]));
  return { usage, oversizedDownloads, sends };
}
