import { ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Records } from "../../precache-model/cluster-record.ts";
import { architectureOf, siteLabelOf } from "../../precache-model/planned-upgrade.ts";
import { type Limit, type Slots, slotReason } from "../../precache-start/admission.ts";
import { earlierUpgrade, waitingReason } from "../../precache-start/may-start.ts";
import { linksOf } from "../../precache-start/remaining-download.ts";
import type { NamedWindow } from "../../windows/gate.ts";
import { emptyHeap, type Heap } from "./heap.ts";

/** The conditions for a start besides limits: equal for clusters that differ only in their order. */
type Waits = Readonly<{
  group: string;
  /** The windows and the link of the group: a change of either may let clusters start. */
  dependsOn: readonly unknown[];
}>;

/** Waiting clusters, in the order of the plan. */
export type WaitingLine = Readonly<{
  /** Checks the groups that depend on this again at the next start. */
  wake(changed: unknown): void;
  /** Checks the groups that wait for a slot of this limit again at the next start. */
  freed(limit: Limit): void;
  /** Starts the clusters that may start now, in order. `obstacleTo` returns why one may not, limits excluded. */
  startAll(obstacleTo: (cluster: string) => string | undefined, start: (cluster: string) => void): void;
  /** Returns the reason for which each cluster waits. */
  reasons(): ReadonlyMap<string, string>;
  /** Returns the limits for which a cluster has waited. */
  fullLimits(): readonly Limit[];
}>;

type Group = {
  readonly members: string[];
  readonly dependsOn: readonly unknown[];
  /** The index of the first waiting member. */
  next: number;
  reason: string;
};

/**
 * Returns the line of waiting clusters. The result is that of `admit` for all clusters at each start, but faster: a
 * group is checked again only when its obstacle has changed, and only its first cluster is checked.
 */
export function waitingLine(
  clusters: readonly string[],
  slots: Slots,
  waitsOf: (cluster: string) => Waits,
): WaitingLine {
  const position = new Map(clusters.map((cluster, index) => [cluster, index]));
  const groups = new Map<string, Group>();
  for (const cluster of clusters) {
    const { group: name, dependsOn } = waitsOf(cluster);
    const group = groups.get(name) ?? { members: [], dependsOn, next: 0, reason: "" };
    group.members.push(cluster);
    groups.set(name, group);
  }
  const asleep = new Map<unknown, Set<Group>>();
  const queues = new Map<Limit, Heap<Group>>();
  const isFreed = new Set<Limit>();
  const awake = emptyHeap<Group>();

  const addTo = (heap: Heap<Group>, group: Group) => {
    const cluster = group.members[group.next];
    if (cluster !== undefined) heap.add(position.get(cluster) ?? 0, group);
  };
  const sleep = (group: Group, reason: string) => {
    group.reason = reason;
    for (const what of group.dependsOn) asleep.set(what, (asleep.get(what) ?? new Set()).add(group));
  };
  const queue = (group: Group, full: Limit) => {
    group.reason = slotReason(full);
    const waiting = queues.get(full) ?? emptyHeap<Group>();
    queues.set(full, waiting);
    addTo(waiting, group);
  };
  /** The next group in the order of the plan whose obstacle has changed. */
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
    wake(changed) {
      for (const group of asleep.get(changed) ?? []) {
        for (const what of group.dependsOn) asleep.get(what)?.delete(group);
        addTo(awake, group);
      }
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

/**
 * Returns the groups of clusters that differ only in their order when they start: the same site, windows, link,
 * remaining download and earlier upgrade.
 */
export function waitingGroups(
  annotatedObjects: readonly KubernetesObject[],
  records: Records,
  labelsOf: (cluster: string) => Readonly<Record<string, string>> | undefined,
  windowsOf: (cluster: string) => readonly NamedWindow[],
  others: readonly KubernetesObject[],
): (cluster: string) => Waits {
  const linkOf = linksOf(annotatedObjects, labelsOf);
  const siteLabel = siteLabelOf(annotatedObjects) ?? "";
  const [cgu] = annotatedObjects;
  const ids = new Map<readonly NamedWindow[], number>();
  const idOf = (windows: readonly NamedWindow[]): number => {
    const id = ids.get(windows) ?? ids.size;
    ids.set(windows, id);
    return id;
  };
  return (cluster) => {
    const { bytesDone, bytesTotal } = records.get(cluster) ?? {};
    const labels = labelsOf(cluster);
    const windows = windowsOf(cluster);
    const link = linkOf(cluster);
    const rival = cgu && earlierUpgrade(cgu, cluster, others);
    // Downloads are timed only against the end of an opening.
    const download = windows.length > 0 && link ? [architectureOf(labels), bytesDone, bytesTotal] : [];
    const key = [idOf(windows), ownValue(labels, siteLabel), link, download, rival && waitingReason(rival)];
    return { group: JSON.stringify(key), dependsOn: [windows, ...(link?.site ? [link.site] : [])] };
  };
}
