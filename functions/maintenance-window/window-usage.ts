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
 * Who works in a window's opening and who waits for one: how many managed clusters, the first of them by name, and
 * of which upgrades they are. A fleet's names alone would fill the object, so the lists have an end.
 */
export type WindowUsage = Readonly<{
  inside: number;
  waiting: number;
  insideClusters?: readonly string[];
  waitingClusters?: readonly string[];
  upgrades?: readonly Readonly<{ namespace: string; name: string; inside: number; waiting: number }>[];
}>;

/** Names that a status has room for. */
const mostClusters = 10;
const mostUpgrades = 20;

/** A cluster of an upgrade that windows decide about. `openings` only where its rest is longer than one of them. */
type WindowCluster = Readonly<{ cluster: string; isInside: boolean; hasSomethingToDo: boolean }> &
  Readonly<{ gate: Gate; openings?: number }>;

/** Clusters that are woken for free places at a time: more are woken when those have gone on. */
const mostWoken = 200;

function windowClusterOf(
  cluster: string,
  state: string | undefined,
  record: ClusterRecord | undefined,
  gate: Gate,
  isTooLate: boolean,
): WindowCluster | undefined {
  if (isFinalState(state)) return undefined;
  const isOnItsWay = isRunningState(state);
  const isSuspended = record?.reason === "Suspended";
  // Whose window is gone must not stay suspended for good.
  if (gate.windows.length === 0)
    return isOnItsWay && isSuspended ? { cluster, gate, isInside: false, hasSomethingToDo: true } : undefined;
  if (gate.isOpen) {
    const mayBegin = isOnItsWay ? isSuspended : record?.reason !== "ClusterNotReached";
    const hasSomethingToDo = mayBegin && !isTooLate;
    return { cluster, gate, isInside: isOnItsWay && !isSuspended, hasSomethingToDo };
  }
  const mayGoOn = isOnItsWay && gate.atEnd === "Finish" && state !== "PreparingToStart";
  return { cluster, gate, isInside: mayGoOn, hasSomethingToDo: isOnItsWay && !isSuspended && !mayGoOn };
}

/** How long the openings of the windows are that let pre-caching happen, in milliseconds, by the windows' names. */
function openingLengths(windows: readonly KubernetesObject[]): ReadonlyMap<string, number> {
  return new Map(
    namedWindows(windows).flatMap((one): [string, number][] =>
      "window" in one && one.window.allow.preCaching ? [[nameOf(one), one.window.duration]] : [],
    ),
  );
}

/** The openings that a rest takes at least, where one is not enough. Work that may finish needs no second. */
function openingsFor(
  rest: RemainingDownload | undefined,
  { atEnd, windows }: Gate,
  lengths: ReadonlyMap<string, number>,
): Pick<WindowCluster, "openings"> {
  const longest = Math.max(0, ...windows.map((name) => lengths.get(name) ?? 0));
  if (!rest || atEnd === "Finish" || longest === 0) return {};
  const openings = Math.ceil((rest.seconds * 1000) / longest);
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
  const own = Object.entries(cguLabels(upgrade.name));
  const ofThis = reports.filter(({ metadata }) =>
    own.every(([label, value]) => metadata.labels?.[label] === value),
  );
  const records = recordsOf(ofThis, upgrade.revision);
  const windowReferrers = [cgu, ...configsOf(cgu, configs)];
  const remainingDownloadOf = remainingDownloads(windowReferrers, records, (cluster) => labels.get(cluster));
  const links = sharedLinks(remainingDownloadOf);
  for (const cluster of upgrade.clusters)
    if (isPulling(upgrade.states[cluster], records.get(cluster))) links.use(cluster);
  return upgrade.clusters.flatMap((cluster) => {
    const decisive = gate(windowReferrers, labels.get(cluster));
    const rest = remainingDownloadOf(cluster);
    const isTooLate = tooLate(decisive, rest, now, links.besides(cluster)) !== undefined;
    const state = upgrade.states[cluster];
    const windowCluster = windowClusterOf(cluster, state, records.get(cluster), decisive, isTooLate);
    return windowCluster ? { ...windowCluster, ...openingsFor(rest, decisive, lengths) } : [];
  });
}

/** Those that are named to the function of single clusters: all that run, and as many others as have a place. */
function named(
  { clusters, maxConcurrency, states }: PlannedUpgrade,
  windowClusters: readonly WindowCluster[],
) {
  const running = clusters.filter((cluster) => isRunningState(states[cluster])).length;
  const places = maxConcurrency >= 1 ? Math.min(maxConcurrency, clusters.length) : clusters.length;
  let free = Math.min(mostWoken, Math.max(places - running, 0));
  return windowClusters.filter(
    ({ cluster, hasSomethingToDo }) => hasSomethingToDo && (isRunningState(states[cluster]) || free-- > 0),
  );
}

type Visit = Readonly<{ cluster: string; upgrade: CguName; isInside: boolean }>;

function noteAt<Note>(notes: Map<string, Note[]>, window: string, note: Note): void {
  const known = notes.get(window) ?? [];
  known.push(note);
  notes.set(window, known);
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
 * Who is inside which window at this moment and who waits, who has more to pull than its openings have time for, and
 * the hints for those that have to begin, go on or stop. All of it follows from the present state: what was lost is
 * named again at the next look.
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
        noteAt(visits, window, { cluster, upgrade: upgrade.name, isInside });
        if (openings !== undefined)
          noteAt(oversizedDownloads, window, { cgu: upgrade.name, cluster, openings });
      }
    }
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    const reference: ObjectReference = { apiVersion, kind, ...upgrade.name };
    const events = named(upgrade, windowClusters).map(({ cluster }) =>
      clusterEvent(reference, cluster, { source: hubId }),
    );
    const reason = `${events.length} clusters begin, go on or stop with their windows`;
    if (events.length > 0) sends.push({ queue: clusterQueue, events, reason });
  }
  const usage = new Map([...visits].map(([window, some]) => [window, usageOf(some)]));
  return { usage, oversizedDownloads, sends };
}
