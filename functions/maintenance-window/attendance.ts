import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Send } from "#shared/domain/plan.ts";
import { clusterEvent, clusterQueue } from "#shared/domain/precache/cluster-event.ts";
import { isFinalState, isRunningState } from "#shared/domain/precache/cluster-state.ts";
import { configReferenceOf } from "#shared/domain/precache/plan/pre-caching-config.ts";
import { namespaceOf, readUpgradeSpec } from "#shared/domain/precache/plan/upgrade-spec.ts";
import { type ClusterRecord, isPulling } from "#shared/domain/precache/progress/cluster-record.ts";
import { type PlannedUpgrade, plannedUpgrade } from "#shared/domain/precache/progress/planned-upgrade.ts";
import { recordsOf } from "#shared/domain/precache/progress/report.ts";
import { restsOf, tooLate } from "#shared/domain/precache/progress/rest.ts";
import { sharedLinks } from "#shared/domain/precache/progress/shared-links.ts";
import { type CguName, cguLabels } from "#shared/domain/precache/work/work-identity.ts";
import { type Gate, type Gatekeeper, gatekeeper } from "#shared/domain/windows/gate.ts";
import type { Snapshot } from "./observe.ts";

/**
 * Who works in a window's opening and who waits for one: how many managed clusters, the first of them by name, and
 * of which upgrades they are. A fleet's names alone would fill the object, so the lists have an end.
 */
export type Attendance = Readonly<{
  inside: number;
  waiting: number;
  insideClusters?: readonly string[];
  waitingClusters?: readonly string[];
  upgrades?: readonly Readonly<{ namespace: string; name: string; inside: number; waiting: number }>[];
}>;

/** Names that a status has room for. */
const mostClusters = 10;
const mostUpgrades = 20;

/** A cluster of an upgrade that windows decide about. */
type Attendant = Readonly<{ cluster: string; isInside: boolean; hasSomethingToDo: boolean }> &
  Readonly<{ gate: Gate }>;

/** Clusters that are woken for free places at a time: more are woken when those have gone on. */
const mostWoken = 200;

function attendantOf(
  cluster: string,
  state: string | undefined,
  record: ClusterRecord | undefined,
  gate: Gate,
  isTooLate: boolean,
): Attendant | undefined {
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

function configOf(cgu: KubernetesObject, configs: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  return configs.filter(
    (config) => config.metadata.name === reference?.name && namespaceOf(config) === reference.namespace,
  );
}

function attendantsOf(
  cgu: KubernetesObject,
  upgrade: PlannedUpgrade,
  { configs, reports, managedClusters, now }: Snapshot,
  gate: Gatekeeper,
): readonly Attendant[] {
  const labels = new Map(managedClusters.map(({ metadata }) => [metadata.name, metadata.labels]));
  const own = Object.entries(cguLabels(upgrade.name));
  const ofThis = reports.filter(({ metadata }) =>
    own.every(([label, value]) => metadata.labels?.[label] === value),
  );
  const records = recordsOf(ofThis, upgrade.revision);
  const namers = [cgu, ...configOf(cgu, configs)];
  const restOf = restsOf(namers, records, (cluster) => labels.get(cluster));
  const links = sharedLinks(restOf);
  for (const cluster of upgrade.clusters)
    if (isPulling(upgrade.states[cluster], records.get(cluster))) links.use(cluster);
  return upgrade.clusters.flatMap((cluster) => {
    const decisive = gate(namers, labels.get(cluster));
    const isTooLate = tooLate(decisive, restOf(cluster), now, links.besides(cluster)) !== undefined;
    return attendantOf(cluster, upgrade.states[cluster], records.get(cluster), decisive, isTooLate) ?? [];
  });
}

/** Those that are named to the function of single clusters: all that run, and as many others as have a place. */
function named({ clusters, maxConcurrency, states }: PlannedUpgrade, attendants: readonly Attendant[]) {
  const running = clusters.filter((cluster) => isRunningState(states[cluster])).length;
  const places = maxConcurrency >= 1 ? Math.min(maxConcurrency, clusters.length) : clusters.length;
  let free = Math.min(mostWoken, Math.max(places - running, 0));
  return attendants.filter(
    ({ cluster, hasSomethingToDo }) => hasSomethingToDo && (isRunningState(states[cluster]) || free-- > 0),
  );
}

type Visit = Readonly<{ cluster: string; upgrade: CguName; isInside: boolean }>;

function attendanceOf(visits: readonly Visit[]): Attendance {
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
 * Who is inside which window at this moment and who waits, and the hints for those that have to begin, go on or stop.
 * All of it follows from the present state: what was lost is named again at the next look.
 */
export function attend(
  snapshot: Snapshot,
): Readonly<{ attendance: ReadonlyMap<string, Attendance>; sends: readonly Send[] }> {
  const { now, hubId, windows, upgrades } = snapshot;
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, now);
  const visits = new Map<string, Visit[]>();
  const sends: Send[] = [];
  for (const cgu of upgrades) {
    const upgrade = plannedUpgrade(cgu);
    if (!upgrade || upgrade.isOver) continue;
    const attendants = attendantsOf(cgu, upgrade, snapshot, gate);
    for (const { cluster, gate: own, isInside } of attendants) {
      for (const window of own.windows) {
        const known = visits.get(window) ?? [];
        known.push({ cluster, upgrade: upgrade.name, isInside });
        visits.set(window, known);
      }
    }
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    const reference: ObjectReference = { apiVersion, kind, ...upgrade.name };
    const events = named(upgrade, attendants).map(({ cluster }) =>
      clusterEvent(reference, cluster, { source: hubId }),
    );
    const reason = `${events.length} clusters begin, go on or stop with their windows`;
    if (events.length > 0) sends.push({ queue: clusterQueue, events, reason });
  }
  return { attendance: new Map([...visits].map(([window, some]) => [window, attendanceOf(some)])), sends };
}
