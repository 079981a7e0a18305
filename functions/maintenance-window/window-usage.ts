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
import { checksBeforeOpenings } from "#shared/domain/precache-start/rollout/check-before.ts";
import { type Gate, type Gatekeeper, gatekeeper } from "#shared/domain/windows/gate.ts";
import type { Snapshot } from "./observe.ts";

/** Clusters that pull images in an open window (`inside`), or wait for its next opening. Long lists are shortened. */
export type WindowUsage = Readonly<{
  inside: number;
  waiting: number;
  insideClusters?: readonly string[];
  waitingClusters?: readonly string[];
  upgrades?: readonly Readonly<{ namespace: string; name: string; inside: number; waiting: number }>[];
}>;

const maxClusters = 10;
const maxUpgrades = 20;

type WindowCluster = Readonly<{ cluster: string; gate: Gate; isInside: boolean; hasSomethingToDo: boolean }>;

function windowClusterOf(
  cluster: string,
  state: string | undefined,
  record: ClusterRecord | undefined,
  gate: Gate,
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
    const hasSomethingToDo = isRunning
      ? isSuspended && record.suspend !== false
      : record?.reason !== "ClusterNotReached";
    return { cluster, gate, isInside: isRunning && !isSuspended, hasSomethingToDo };
  }
  const mayFinish = isRunning && gate.atEnd === "Finish" && state !== "PreparingToStart";
  const isToStop = isRunning && !isSuspended && !mayFinish && !record?.suspend;
  return { cluster, gate, isInside: mayFinish, hasSomethingToDo: isToStop };
}

function recordsFor({ name, revision }: PlannedUpgrade, { reports }: Snapshot): Records {
  const ownLabels = Object.entries(cguLabels(name));
  const ofThis = reports.filter(({ metadata }) =>
    ownLabels.every(([label, value]) => ownValue(metadata.labels, label) === value),
  );
  return recordsOf(ofThis, revision);
}

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
  { configs, managedClusters }: Snapshot,
  gate: Gatekeeper,
): readonly WindowCluster[] {
  const annotatedObjects = [cgu, ...configsOf(cgu, configs)];
  const labelsOf = labelsByCluster(managedClusters);
  return upgrade.clusters.flatMap((cluster) => {
    const decisive = gate(annotatedObjects, labelsOf(cluster));
    return windowClusterOf(cluster, ownValue(upgrade.states, cluster), records.get(cluster), decisive) ?? [];
  });
}

type Visit = Readonly<{ cluster: string; upgrade: CguName; isInside: boolean }>;

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

/** Returns each window's usage by the window's name, and a message for each upgrade that has something to do. */
export function windowUsage(snapshot: Snapshot): Readonly<{
  usage: ReadonlyMap<string, WindowUsage>;
  sends: readonly Send[];
}> {
  const { hubId, windows, upgrades } = snapshot;
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, snapshot);
  const visits = new Map<string, Visit[]>();
  const sends: Send[] = [];
  for (const cgu of upgrades) {
    const upgrade = plannedUpgrade(cgu);
    if (!upgrade || upgrade.isOver) continue;
    const records = recordsFor(upgrade, snapshot);
    const windowClusters = windowClustersOf(cgu, upgrade, records, snapshot, gate);
    for (const { cluster, gate: own, isInside } of windowClusters)
      for (const window of own.windows) {
        const known = visits.get(window) ?? [];
        visits.set(window, known);
        known.push({ cluster, upgrade: upgrade.name, isInside });
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
  return { usage, sends };
}
