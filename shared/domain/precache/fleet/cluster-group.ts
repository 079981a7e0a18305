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
