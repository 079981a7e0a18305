import { ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { siteLabelOf } from "../../precache-model/planned-upgrade.ts";
import { type Limit, type Slots, slotReason } from "../../precache-start/slots.ts";
import { earlierUpgrade, waitingReason } from "../../precache-start/start-obstacle.ts";
import type { NamedWindow } from "../../windows/gate.ts";
import { emptyHeap, type Heap } from "./heap.ts";

type Waits = Readonly<{ group: string; windows: readonly NamedWindow[] }>;

/** The clusters that wait to start, in the order of the plan. */
export type WaitingLine = Readonly<{
  /** Lets the next `startAll` check the clusters with these windows again. */
  wake(windows: readonly NamedWindow[]): void;
  /** Lets the next `startAll` check the clusters that wait for this limit again. */
  freed(limit: Limit): void;
  /** Calls `start` for each cluster that may start now, in order. `obstacleTo` need not check limits. */
  startAll(obstacleTo: (cluster: string) => string | undefined, start: (cluster: string) => void): void;
  /** Returns the waiting clusters, each with the reason why it waits. */
  reasons(): ReadonlyMap<string, string>;
  /** Returns the limits that some cluster has waited for. */
  fullLimits(): readonly Limit[];
}>;

type Group = {
  readonly members: string[];
  readonly windows: readonly NamedWindow[];
  next: number;
  reason: string;
};

/** Returns the line of waiting clusters. It starts the same clusters as `admit`, but with fewer checks. */
export function waitingLine(
  clusters: readonly string[],
  slots: Slots,
  waitsOf: (cluster: string) => Waits,
): WaitingLine {
  const position = new Map(clusters.map((cluster, index) => [cluster, index]));
  const groups = new Map<string, Group>();
  for (const cluster of clusters) {
    const { group: name, windows } = waitsOf(cluster);
    const group = groups.get(name) ?? { members: [], windows, next: 0, reason: "" };
    group.members.push(cluster);
    groups.set(name, group);
  }
  const asleep = new Map<readonly NamedWindow[], Set<Group>>();
  const queues = new Map<Limit, Heap<Group>>();
  const isFreed = new Set<Limit>();
  const awake = emptyHeap<Group>();

  const addTo = (heap: Heap<Group>, group: Group) => {
    const cluster = group.members[group.next];
    if (cluster !== undefined) heap.add(position.get(cluster) ?? 0, group);
  };
  const sleep = (group: Group, reason: string) => {
    group.reason = reason;
    asleep.set(group.windows, (asleep.get(group.windows) ?? new Set()).add(group));
  };
  const queue = (group: Group, full: Limit) => {
    group.reason = slotReason(full);
    const waiting = queues.get(full) ?? emptyHeap<Group>();
    queues.set(full, waiting);
    addTo(waiting, group);
  };
  const nextGroup = (): Group | undefined => {
    let found = awake;
    for (const limit of isFreed) {
      const waiting = queues.get(limit);
      if (slots.isFull(limit) || !waiting?.first()) isFreed.delete(limit);
      else if ((waiting.first()?.key ?? 0) < (found.first()?.key ?? Number.POSITIVE_INFINITY))
        found = waiting;
    }
    return found.take();
  };
  for (const group of groups.values()) addTo(awake, group);

  return {
    wake(windows) {
      for (const group of asleep.get(windows) ?? []) addTo(awake, group);
      asleep.delete(windows);
    },
    freed: (limit) => {
      isFreed.add(limit);
    },
    startAll(obstacleTo, start) {
      for (let group = nextGroup(); group; group = nextGroup()) {
        const cluster = group.members[group.next] ?? "";
        const reason = obstacleTo(cluster);
        const full = reason === undefined ? slots.take(cluster) : undefined;
        if (reason !== undefined) sleep(group, reason);
        else if (full) queue(group, full);
        else {
          group.next++;
          start(cluster);
          addTo(awake, group);
        }
      }
    },
    fullLimits: () => [...queues.keys()],
    reasons: () =>
      new Map(
        [...groups.values()].flatMap(({ members, next, reason }) =>
          members.slice(next).map((cluster) => [cluster, reason] as const),
        ),
      ),
  };
}

/** Returns a function that finds a cluster's group. The clusters of a group start under the same conditions. */
export function waitingGroups(
  annotatedObjects: readonly KubernetesObject[],
  labelsOf: (cluster: string) => Readonly<Record<string, string>> | undefined,
  windowsOf: (cluster: string) => readonly NamedWindow[],
  others: readonly KubernetesObject[],
): (cluster: string) => Waits {
  const siteLabel = siteLabelOf(annotatedObjects) ?? "";
  const [cgu] = annotatedObjects;
  const ids = new Map<readonly NamedWindow[], number>();
  const idOf = (windows: readonly NamedWindow[]): number => {
    const id = ids.get(windows) ?? ids.size;
    ids.set(windows, id);
    return id;
  };
  return (cluster) => {
    const windows = windowsOf(cluster);
    const rival = cgu && earlierUpgrade(cgu, cluster, others);
    const key = [idOf(windows), ownValue(labelsOf(cluster), siteLabel), rival && waitingReason(rival)];
    return { group: JSON.stringify(key), windows };
  };
}
