import { fieldsOf, objectsOf, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { compareReleases, parseRelease, type Release } from "./release.ts";

/** The versions of a cluster's updates, from the history in its ClusterVersion or HostedCluster. */
export type VersionHistory = Readonly<{
  /** The version of the newest completed update, which the cluster runs; undefined if there is none. */
  completed: string | undefined;
  /** Versions of updates that began after the newest completed update, the newest first. */
  begun: readonly string[];
}>;

/** Returns the completed and the begun updates in `history`, which lists the newest update first. */
export function readVersionHistory(history: unknown): VersionHistory {
  const updates = objectsOf(history);
  const newest = updates.findIndex(({ state }) => state === "Completed");
  const begun = newest < 0 ? updates : updates.slice(0, newest);
  return {
    completed: textOf(updates[newest]?.version),
    begun: begun.flatMap(({ version }) => textOf(version) ?? []),
  };
}

/** The releases whose operators may have written a cluster's objects. */
export type ClusterReleases = Readonly<{
  /** The release that the cluster runs or, during its installation, the release that is being installed. */
  current: Release;
  /** Other releases to which the cluster is being updated, the newest first. */
  begun: readonly Release[];
  /** True if no input names the release; `current` is then `newestRelease`. */
  isAssumed: boolean;
}>;

/** Reports whether the cluster runs the release `since` or a newer release, or is being updated to such a release. */
export const hasReached = ({ current, begun }: ClusterReleases, since: Release): boolean =>
  [current, ...begun].some((release) => compareReleases(release, since) >= 0);

/** The release that is assumed if no input names a release. */
export const newestRelease: Release = { major: 5, minor: 1 };
/** The newest release whose operators' source code was read. These operators behave like those of `newestRelease`. */
export const newestReadRelease: Release = { major: 5, minor: 2 };

const isSame = (a: Release, b: Release): boolean => compareReleases(a, b) === 0;

/**
 * Returns the releases of a cluster, from `version` or, without `version`, from the history of the ClusterVersion. A
 * desired update counts only once the history lists it: before that, none of its operators runs.
 */
export function clusterReleases(
  clusterVersion: KubernetesObject | undefined,
  version?: string,
): ClusterReleases {
  const given = parseRelease(version);
  if (given) return { current: given, begun: [], isAssumed: false };
  const status = fieldsOf(clusterVersion?.status);
  const { completed, begun } = readVersionHistory(status.history);
  const [current, ...others] = [completed, ...begun].flatMap((text) => parseRelease(text) ?? []);
  if (!current) return { current: newestRelease, begun: [], isAssumed: true };
  const distinct = others.filter(
    (one, at) => !isSame(one, current) && others.findIndex((other) => isSame(other, one)) === at,
  );
  return { current, begun: distinct, isAssumed: false };
}
