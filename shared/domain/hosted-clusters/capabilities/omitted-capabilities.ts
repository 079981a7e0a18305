import { compareReleases, parseRelease } from "../../releases/release.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { supportedSince } from "../facts/hypershift.ts";
import { readCapabilityChoice } from "./resolve.ts";

/** What becomes of the capabilities that a HostedCluster disables. */
export type OmittedCapabilities = Readonly<{
  /** The control plane omits them. One of an older release ignores that they are disabled. */
  omitted: readonly string[];
  /** During an upgrade: only one of the control planes that may run omits them. */
  undecided: readonly string[];
}>;

/** Returns which disabled capabilities the control plane of a hosted cluster omits: without a version all of them. */
export function omittedCapabilities(
  cluster: Pick<HostedCluster, "capabilities" | "controlPlaneVersion" | "begunVersions">,
): OmittedCapabilities {
  const { disabled } = readCapabilityChoice(cluster.capabilities);
  const releases = [cluster.controlPlaneVersion, ...cluster.begunVersions].flatMap(
    (version) => parseRelease(version) ?? [],
  );
  const isOmitted = (name: string) =>
    releases.map((release) => compareReleases(release, supportedSince(name)) >= 0);
  const omitted = disabled.filter((name) => !isOmitted(name).includes(false));
  return {
    omitted,
    undecided: disabled.filter((name) => !omitted.includes(name) && isOmitted(name).includes(true)),
  };
}
