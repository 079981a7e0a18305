import { isIncomplete } from "#shared/domain/precache-model/cluster-state.ts";
import {
  type ClusterGroup,
  clusterGroupOf,
  stateWord,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import type { ClusterProgress } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { type FleetReadiness, readinessText } from "#shared/domain/ready/record/fleet-readiness.ts";
import { age } from "#shared/domain/text/human-readable.ts";
import { painted, type SafeText, safe } from "../io/safe-text.ts";

/** The colour of each group of clusters, and the character of the group in progress bars. */
export const groupStyles = {
  failed: { colour: "red", mark: "x" },
  offline: { colour: "yellow", mark: "?" },
  pulling: { colour: "cyan", mark: "=" },
  "outside its window": { colour: "magenta", mark: "." },
  waiting: { colour: "dim", mark: "." },
  done: { colour: "green", mark: "#" },
} as const satisfies Record<ClusterGroup, unknown>;

/** Renders a text in the colour of the cluster's group. */
export const inColourOf = (cluster: ClusterProgress, text: string): SafeText =>
  painted(groupStyles[clusterGroupOf(cluster)].colour, text);

function clusterCells(cluster: ClusterProgress, now: Date) {
  const { name, since, imagesDone = 0, imagesTotal } = cluster;
  return [
    `  ${name}`,
    inColourOf(cluster, stateWord(cluster)),
    since ? age(new Date(since), now) : "-",
    imagesTotal === undefined ? "-" : `${imagesDone}/${imagesTotal}`,
  ];
}

const readinessColours = { True: "green", False: "red", Unknown: "yellow" } as const;

/** Renders whether mirrors have the images of a fleet. */
export function readinessLine(readiness: FleetReadiness, now: Date): SafeText {
  return safe`  ${painted(readinessColours[readiness.ready], readinessText(readiness, now))}`;
}

function reasonOf(cluster: ClusterProgress, message: string): string {
  const group = clusterGroupOf(cluster);
  if (group === "outside its window" || group === "waiting") return message;
  const isUsual = group === "done" ? !isIncomplete(cluster) : cluster.reason === "Pulling";
  return isUsual ? "" : [cluster.reason, message].filter(Boolean).join(": ");
}

/** Returns the rows of a table of clusters, with headings. `messageOf` returns the message for a cluster's row. */
export const clusterRows = (
  clusters: readonly ClusterProgress[],
  now: Date,
  messageOf = ({ message }: ClusterProgress) => message,
) => [
  ["  CLUSTER", "STATE", "FOR", "IMAGES", "WHY"],
  ...clusters.map((one) => [...clusterCells(one, now), reasonOf(one, messageOf(one))]),
];
