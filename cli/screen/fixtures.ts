import type { Issue } from "#shared/domain/issues/issue.ts";
import type { ClusterProgress, FleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";

export const issue: Issue = {
  code: "InvalidSource",
  severity: "error",
  object: { kind: "ImageDigestMirrorSet", name: "team" },
  path: "spec",
  value: "x",
  message: "invalid",
  remedy: "Fix it.",
};

export const now = new Date("2026-03-01T09:42:50Z");

/** A cluster of each kind that the screen distinguishes. */
export const clusterOf = {
  done: { state: "Succeeded", reason: "Completed", imagesDone: 190, imagesTotal: 190 },
  incomplete: {
    state: "Succeeded",
    reason: "PackagesNotFound",
    message: "no index has sriov-fec:stable; everything else is on the node",
    imagesDone: 190,
    imagesTotal: 190,
  },
  failed: { state: "UnrecoverableError", reason: "PullFailed", message: "unauthorized" },
  offline: { state: "Starting", reason: "ClusterNotReached", deadline: "2026-03-01T09:45:00Z" },
  pulling: { state: "Active", reason: "Pulling", imagesDone: 95, imagesTotal: 190 },
  starting: { state: "PreparingToStart", reason: "Claimed", message: "It has a slot." },
  outside: {
    state: "NotStarted",
    reason: "WaitsForWindow",
    message: "fleet/nights is closed until 2026-03-01T10:00:00Z.",
  },
  waiting: { state: "NotStarted", reason: "Waiting" },
} as const satisfies Readonly<Record<string, Partial<ClusterProgress>>>;

/** Returns a fleet with these numbers of clusters of each kind. */
export function aFleet(
  counts: Partial<Record<keyof typeof clusterOf, number>>,
  rest: Partial<FleetStatus> = {},
): FleetStatus {
  const clusters = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index): ClusterProgress => {
      const isKnown = kind !== "waiting" && kind !== "outside";
      return {
        name: `${kind}-${index + 1}`,
        message: "",
        attempt: 1,
        ...(isKnown ? { since: "2026-03-01T09:42:00Z" } : {}),
        ...clusterOf[kind as keyof typeof clusterOf],
      };
    }),
  );
  return {
    namespace: "fleet",
    name: "up",
    reason: "InProgress",
    message: "Precaching in progress",
    revision: "0123456789",
    total: clusters.length,
    states: {},
    ended: (counts.done ?? 0) + (counts.incomplete ?? 0) + (counts.failed ?? 0),
    clusters,
    ...rest,
  };
}
