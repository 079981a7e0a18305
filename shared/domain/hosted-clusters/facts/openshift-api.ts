import type { Release } from "../../openshift/releases/release.ts";

/*
 * Facts about the API of ClusterVersion, from config/v1/types_cluster_version.go of the branches release-4.11 to
 * release-5.2, read in August 2026. test/parity/copied-facts.test.ts fails when the newest module differs.
 */

/** The Go module with which the facts of this file were compared, and the date of its commit. */
export const openshiftApiModule = {
  path: "github.com/openshift/api",
  version: "v0.0.0-20260810132456-8f52beb625b5",
  date: "2026-08-10",
} as const;

/**
 * The capabilities that each release adds to the capabilities of the previous release.
 *
 * Source: `vCurrent` and `KnownClusterVersionCapabilities` on the branches release-4.11 (92fe66c75), release-4.12
 * (7ca3a4634), release-4.13 (0f638a8a4), release-4.14 (b1c90a6cf), release-4.15 (0a58f8c30), release-4.16 (0677a8879),
 * release-4.18 (f9b2d1ae3), release-4.23 (dffcf504e), release-5.0 (e543cc508). All other branches up to release-5.2
 * (2a3d73913) add none.
 *
 * Named sets such as v4.11 are not used: later releases extended them (MachineAPI is in v4.11 since 4.14).
 */
export const capabilitiesAddedBy: readonly (readonly [Release, readonly string[]])[] = [
  [{ major: 4, minor: 11 }, ["baremetal", "marketplace", "openshift-samples"]],
  [{ major: 4, minor: 12 }, ["CSISnapshot", "Console", "Insights", "Storage"]],
  [{ major: 4, minor: 13 }, ["NodeTuning"]],
  [{ major: 4, minor: 14 }, ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"]],
  [{ major: 4, minor: 15 }, ["CloudCredential", "OperatorLifecycleManager"]],
  [{ major: 4, minor: 16 }, ["CloudControllerManager", "Ingress"]],
  [{ major: 4, minor: 18 }, ["OperatorLifecycleManagerV1"]],
  [{ major: 4, minor: 23 }, ["ClusterAPI", "CompatibilityRequirements"]],
];

/** The newest release whose capabilities are in `capabilitiesAddedBy`. */
export const newestKnownRelease: Release = { major: 5, minor: 2 };
