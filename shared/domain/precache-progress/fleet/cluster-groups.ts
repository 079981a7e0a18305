import { hostOf } from "../../images/scope.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { isIncomplete } from "../../precache-model/cluster-state.ts";
import { counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { type ClusterProgress, type FleetStatus, waitsForWindow } from "./fleet-status.ts";

/** The groups in which clusters are shown, the most urgent first. */
export const clusterGroups = [
  "failed",
  "offline",
  "pulling",
  "outside its window",
  "waiting",
  "done",
] as const;
export type ClusterGroup = (typeof clusterGroups)[number];

/** The order of groups in a fleet's progress bar, from left to right. */
export const barOrder: readonly ClusterGroup[] = [
  "done",
  "failed",
  "offline",
  "pulling",
  "outside its window",
  "waiting",
];

/** Returns the group in which a cluster is shown. */
export function clusterGroupOf({ state, reason }: Pick<ClusterProgress, "state" | "reason">): ClusterGroup {
  if (state === "Succeeded") return "done";
  if (state === "UnrecoverableError" || state === "PrecacheTimeout") return "failed";
  if (reason === "ClusterNotReached") return "offline";
  // A suspended Job pulls nothing until the window opens again.
  if (reason === waitsForWindow || reason === "Suspended") return "outside its window";
  return state === "NotStarted" ? "waiting" : "pulling";
}

export type Grouped = ReadonlyMap<ClusterGroup, readonly ClusterProgress[]>;

/** Returns the clusters by their group. */
export const groupsOf = (clusters: readonly ClusterProgress[]): Grouped =>
  Map.groupBy(clusters, clusterGroupOf);

/** The part of a fleet's progress bar for one group of clusters. */
export type BarPart = Readonly<{ group: ClusterGroup; count: number }>;

/** Returns the parts of a fleet's progress bar from left to right, without empty groups. */
export function barOf(clusters: readonly ClusterProgress[]): readonly BarPart[] {
  const grouped = groupsOf(clusters);
  return barOrder.flatMap((group) => {
    const count = grouped.get(group)?.length;
    return count === undefined ? [] : [{ group, count }];
  });
}

const rankOf = (cluster: ClusterProgress) => clusterGroups.indexOf(clusterGroupOf(cluster));

/** Compares clusters for sorting: the most urgent group first, and within a group the oldest state first. */
export const byUrgency = (a: ClusterProgress, b: ClusterProgress): number =>
  rankOf(a) - rankOf(b) || Date.parse(a.since ?? "") - Date.parse(b.since ?? "") || 0;

/** Returns a cluster's state as one word, such as `waiting`, `pulling` or `failed`. */
export function stateWord(cluster: Pick<ClusterProgress, "state" | "reason">): string {
  const group = clusterGroupOf(cluster);
  if (group === "outside its window") return "waiting";
  return group === "pulling" && cluster.state !== "Active" ? "starting" : group;
}

/** Returns the number of clusters in each group: `2 failed, 3 pulling`. */
export function groupCountsText(clusters: readonly ClusterProgress[]): string {
  const grouped = groupsOf(clusters);
  return clusterGroups
    .flatMap((group) => {
      const count = grouped.get(group)?.length;
      return count === undefined ? [] : [sentence`${count} ${group}`];
    })
    .join(", ");
}

/** The clusters of a group that share a reason. */
export type ReasonGroup = Readonly<{
  group: ClusterGroup;
  reason: ClusterProgress["reason"];
  count: number;
  /** The registry that is in all messages of these clusters; absent if there is no such registry. */
  registry?: string;
  /** The message of the first cluster. */
  example: string;
  first: readonly string[];
}>;

const maxNames = 3;

/** Returns `registry.lab:8443` for `registry.lab:8443/release@sha256:…: unauthorized`. */
function registryIn(message: string): string | undefined {
  const [, image] = /^([^\s/]+\/\S+): /.exec(message) ?? [];
  return image === undefined ? undefined : hostOf(image);
}

/** Returns the clusters that neither pull nor have all images, grouped by reason; the most urgent group first. */
export function reasonsOf(clusters: readonly ClusterProgress[]): readonly ReasonGroup[] {
  const notable = clusters.filter(
    (one) => isIncomplete(one) || !["done", "pulling"].includes(clusterGroupOf(one)),
  );
  const grouped = Map.groupBy(
    notable,
    (one) => `${clusterGroups.indexOf(clusterGroupOf(one))} ${one.reason}`,
  );
  return [...grouped.values()]
    .flatMap((some): ReasonGroup[] => {
      const [one] = some;
      if (!one) return [];
      const { reason, message } = one;
      const first = some.slice(0, maxNames).map(({ name }) => name);
      const [registry, ...others] = new Set(some.map((each) => registryIn(each.message)));
      return [
        {
          group: clusterGroupOf(one),
          reason,
          count: some.length,
          ...(registry !== undefined && others.length === 0 ? { registry } : {}),
          example: message,
          first,
        },
      ];
    })
    .sort(
      (a, b) =>
        clusterGroups.indexOf(a.group) - clusterGroups.indexOf(b.group) ||
        b.count - a.count ||
        byCodeUnit(a.reason, b.reason),
    );
}

/** Returns a group of clusters as text: `70 × Unauthorized at registry.lab:8443`. */
export function reasonText({ count, reason, registry }: ReasonGroup): string {
  return sentence`${count} × ${reason}${registry === undefined ? "" : sentence` at ${registry}`}`;
}

/** Returns the first names of a group of clusters as text: `sno1, sno2, sno3 …`. */
export const namesText = ({ first, count }: Pick<ReasonGroup, "first" | "count">): string =>
  sentence`${first.join(", ")}${count > first.length ? " …" : ""}`;

/** Returns the message of the upgrade's condition; without a message, a text about the plan. */
export function fleetMessage({ message, total }: FleetStatus): string {
  return message || (total === 0 ? "no cluster is planned" : "planned");
}

const maxNamed = 3;

/** Returns a line about clusters that are left to an ImageBasedGroupUpgrade; undefined without such clusters. */
export function leftAloneText({ leftAlone = [] }: FleetStatus): string | undefined {
  const [one] = leftAlone;
  if (!one) return undefined;
  const first = leftAlone.slice(0, maxNamed).map(({ name }) => name);
  const names = namesText({ first, count: leftAlone.length });
  return sentence`${counted(leftAlone.length, "selected cluster")} left alone: ${names}. ${one.name}: ${one.reason}`;
}
