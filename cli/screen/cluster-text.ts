import {
  type ClusterGroup,
  clusterGroupOf,
  stateWord,
} from "#shared/domain/precache-progress/fleet/cluster-groups.ts";
import type { ClusterProgress } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { type FleetReadiness, readinessText } from "#shared/domain/ready/record/fleet-readiness.ts";
import { age } from "#shared/domain/text/human-readable.ts";
import { painted, type SafeText, safe } from "../io/safe-text.ts";

/** How a group of clusters is drawn: its colour, and its mark in a bar. */
export const groupStyles = {
  failed: { colour: "red", mark: "x" },
  offline: { colour: "yellow", mark: "?" },
  pulling: { colour: "cyan", mark: "=" },
  "outside its window": { colour: "magenta", mark: "." },
  waiting: { colour: "dim", mark: "." },
  done: { colour: "green", mark: "#" },
} as const satisfies Record<ClusterGroup, unknown>;

/** Renders a text about a cluster in the colour of what a person needs to know. */
export const inColourOf = (cluster: ClusterProgress, text: string): SafeText =>
  painted(groupStyles[clusterGroupOf(cluster)].colour, text);

/** Renders name, state, for how long, and images of a cluster. */
export function clusterCells(cluster: ClusterProgress, now: Date) {
  const { name, since, imagesDone = 0, imagesTotal } = cluster;
  return [
    `  ${name}`,
    inColourOf(cluster, stateWord(cluster)),
    since ? age(new Date(since), now) : "-",
    imagesTotal === undefined ? "-" : `${imagesDone}/${imagesTotal}`,
  ];
}

const readinessColours = { True: "green", False: "red", Unknown: "yellow" } as const;

/** Renders whether mirrors hold the images of a fleet, in the colour of its urgency. */
export function readinessLine(readiness: FleetReadiness, now: Date): SafeText {
  const colour = readiness.stale ? "yellow" : readinessColours[readiness.ready];
  return safe`  ${painted(colour, readinessText(readiness, now))}`;
}
