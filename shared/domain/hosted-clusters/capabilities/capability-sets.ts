import { compareReleases, type Release, releaseText } from "../cluster/release.ts";

/**
 * The capabilities that each release adds to those of the previous one, from `KnownClusterVersionCapabilities` in
 * config/v1/types_cluster_version.go of github.com/openshift/api, branches release-4.11 (92fe66c75), release-4.12
 * (7ca3a4634), release-4.13 (0f638a8a4), release-4.14 (b1c90a6cf), release-4.15 (0a58f8c30), release-4.16
 * (0677a8879), release-4.18 (f9b2d1ae3), release-4.23 (dffcf504e), release-5.0 (e543cc508); those between and
 * release-5.1 (2a3d73913) add none. On every branch the set `vCurrent` is all that the branch knows. The named sets
 * were extended afterwards (MachineAPI is in v4.11 since 4.14), so they are not what a release had.
 */
const addedBy: readonly (readonly [Release, readonly string[]])[] = [
  [{ major: 4, minor: 11 }, ["baremetal", "marketplace", "openshift-samples"]],
  [{ major: 4, minor: 12 }, ["CSISnapshot", "Console", "Insights", "Storage"]],
  [{ major: 4, minor: 13 }, ["NodeTuning"]],
  [{ major: 4, minor: 14 }, ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"]],
  [{ major: 4, minor: 15 }, ["CloudCredential", "OperatorLifecycleManager"]],
  [{ major: 4, minor: 16 }, ["CloudControllerManager", "Ingress"]],
  [{ major: 4, minor: 18 }, ["OperatorLifecycleManagerV1"]],
  [{ major: 4, minor: 23 }, ["ClusterAPI", "CompatibilityRequirements"]],
];

/** The newest release whose capabilities are in the table. */
export const newestKnownRelease: Release = { major: 5, minor: 1 };

/** The capabilities of a release, and how they are known. */
export type CapabilitySet = Readonly<{
  /** Sorted by code unit. */
  names: readonly string[];
  /** The release whose set it is, e.g. `4.18`. */
  of: string;
  /** `release`: this release is in the table; `newest`: it is newer than the table, or unknown. */
  basis: "release" | "newest";
}>;

/** Returns all capabilities that a release knows; for a release beyond the table, those of the newest one. */
export function capabilitySet(release: Release | undefined): CapabilitySet {
  const isKnown = release !== undefined && compareReleases(release, newestKnownRelease) <= 0;
  const upTo = isKnown ? release : newestKnownRelease;
  const names = addedBy.flatMap(([since, added]) => (compareReleases(since, upTo) <= 0 ? added : []));
  return { names: names.sort(), of: releaseText(upTo), basis: isKnown ? "release" : "newest" };
}

/** Returns the release in which a component became a capability; undefined for a name that is not in the table. */
export function capabilitySince(name: string): Release | undefined {
  return addedBy.find(([, added]) => added.includes(name))?.[0];
}

/** Off in hosted clusters unless `enabled` names them (baremetal), or always; HyperShift removes them too. */
export const offByDefault: readonly string[] = ["ClusterAPI", "CompatibilityRequirements", "baremetal"];
