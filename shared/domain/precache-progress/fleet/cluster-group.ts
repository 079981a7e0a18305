import { sentence } from "../../text/redact.ts";
import { type ClusterProgress, waitsForWindow } from "./fleet-status.ts";

/** What a person needs to know about clusters, most urgent first. */
export const clusterGroups = [
  "failed",
  "offline",
  "pulling",
  "outside its window",
  "waiting",
  "done",
] as const;
export type ClusterGroup = (typeof clusterGroups)[number];

/** The parts of a bar of a fleet, from its left end. */
export const barOrder: readonly ClusterGroup[] = [
  "done",
  "failed",
  "offline",
  "pulling",
  "outside its window",
  "waiting",
];

/** Returns the group of a cluster. */
export function clusterGroupOf({ state, reason }: Pick<ClusterProgress, "state" | "reason">): ClusterGroup {
  if (state === "Succeeded") return "done";
  if (state === "UnrecoverableError" || state === "PrecacheTimeout") return "failed";
  if (reason === "ClusterNotReached") return "offline";
  // Its Job has started, and pulls nothing until the window opens again.
  if (reason === waitsForWindow || reason === "Suspended") return "outside its window";
  return state === "NotStarted" ? "waiting" : "pulling";
}

export type Grouped = ReadonlyMap<ClusterGroup, readonly ClusterProgress[]>;

/** Returns clusters by their groups. */
export const groupsOf = (clusters: readonly ClusterProgress[]): Grouped =>
  Map.groupBy(clusters, clusterGroupOf);

/** One part of a fleet's bar. */
export type BarPart = Readonly<{ group: ClusterGroup; count: number }>;

/** Returns the parts of a bar of clusters that are not empty. */
export function barOf(clusters: readonly ClusterProgress[]): readonly BarPart[] {
  const grouped = groupsOf(clusters);
  return barOrder.flatMap((group) => {
    const count = grouped.get(group)?.length;
    return count === undefined ? [] : [{ group, count }];
  });
}

const rankOf = (cluster: ClusterProgress) => clusterGroups.indexOf(clusterGroupOf(cluster));

/** Orders clusters by what a person needs to know first, and those of a group by how long they are in it. */
export const byUrgency = (a: ClusterProgress, b: ClusterProgress): number =>
  rankOf(a) - rankOf(b) || Date.parse(a.since ?? "") - Date.parse(b.since ?? "") || 0;

/** Returns the state of a cluster in a word, the same on the screen, in tables and on pages. */
export function stateWord(cluster: Pick<ClusterProgress, "state" | "reason">): string {
  const group = clusterGroupOf(cluster);
  if (group === "outside its window") return "waiting";
  return group === "pulling" && cluster.state !== "Active" ? "starting" : group;
}

/** Returns how many clusters are in each group, the most urgent first: `2 failed, 3 pulling`. */
export function groupCountsText(clusters: readonly ClusterProgress[]): string {
  const grouped = groupsOf(clusters);
  return clusterGroups
    .flatMap((group) => {
      const count = grouped.get(group)?.length;
      return count === undefined ? [] : [sentence`${count} ${group}`];
    })
    .join(", ");
}
