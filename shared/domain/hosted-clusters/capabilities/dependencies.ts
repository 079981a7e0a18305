import { compareReleases, type Release } from "../cluster/release.ts";

/** A capability that requires another, and the releases whose API servers enforce that. */
type Dependency = Readonly<{
  capability: string;
  requires: string;
  since: Release;
  /** The first release without the rule. */
  until?: Release;
}>;

/**
 * From the rules on ClusterVersion in config/v1/types_cluster_version.go of github.com/openshift/api, branches
 * release-4.14 to release-5.1. The rule of ClusterAPI is behind feature gates.
 */
const dependencies: readonly Dependency[] = [
  {
    capability: "baremetal",
    requires: "MachineAPI",
    since: { major: 4, minor: 14 },
    until: { major: 4, minor: 17 },
  },
  { capability: "marketplace", requires: "OperatorLifecycleManager", since: { major: 4, minor: 15 } },
  { capability: "ClusterAPI", requires: "CompatibilityRequirements", since: { major: 4, minor: 23 } },
];

/** A capability that is on while one that it requires is off. */
export type MissingDependency = Readonly<{ capability: string; requires: string; message: string }>;

function applies({ since, until }: Dependency, release: Release | undefined): boolean {
  if (!release) return until === undefined;
  return compareReleases(since, release) <= 0 && (!until || compareReleases(release, until) < 0);
}

/**
 * Returns what is missing in a ClusterVersion with this `additionalEnabledCapabilities` and the baseline `None`, in
 * the API server's words. `implicitlyOn` are the guest's `status.capabilities.enabledCapabilities`, which count
 * too. Without a release the rules of the newest one apply.
 */
export function missingDependencies(
  additional: readonly string[],
  implicitlyOn: readonly string[],
  release: Release | undefined,
): readonly MissingDependency[] {
  const on = new Set([...additional, ...implicitlyOn]);
  return dependencies
    .filter(
      (rule) => additional.includes(rule.capability) && !on.has(rule.requires) && applies(rule, release),
    )
    .map(({ capability, requires }) => ({
      capability,
      requires,
      message:
        `the \`${capability}\` capability requires the \`${requires}\` capability, which is neither explicitly or ` +
        `implicitly enabled in this cluster, please enable the \`${requires}\` capability`,
    }));
}
