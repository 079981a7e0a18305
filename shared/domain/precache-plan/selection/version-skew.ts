import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { parseRelease, type Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { versionOf } from "./cluster-facts.ts";

/** How many minor versions a cluster may be behind the hub. */
const supportedSkew = 2;
const maxNamed = 10;

function named(clusters: readonly KubernetesObject[]): string {
  return someOf(
    clusters.map(({ metadata }) => metadata.name),
    maxNamed,
  );
}

/** Undefined when the version is unknown, or of another major version. */
function behind(cluster: KubernetesObject, hub: Release): number | undefined {
  const version = parseRelease(versionOf(cluster));
  return version && version.major === hub.major ? hub.minor - version.minor : undefined;
}

/**
 * Returns warnings about clusters that are more than two minor versions behind the hub, clusters without a known
 * version, and a hub without one. The clusters are pre-cached anyway.
 */
export function versionSkewIssues(
  cgu: KubernetesObject,
  clusters: readonly KubernetesObject[],
  hubVersion: string | undefined,
): readonly Issue[] {
  if (clusters.length === 0) return [];
  const warning = (code: Issue["code"], value: unknown, message: string, remedy: string) =>
    fieldWarning(cgu, "spec", value, { code, message, remedy });
  const hub = parseRelease(hubVersion);
  if (!hub)
    return [
      warning(
        "HubVersionUnknown",
        hubVersion,
        "The hub's version is not known, so it was not checked that clusters are at most two minor versions behind it.",
        "Provide ClusterVersion/version of the hub, or its version with --hub-version.",
      ),
    ];
  const old = clusters.filter((cluster) => (behind(cluster, hub) ?? 0) > supportedSkew);
  const unknown = clusters.filter((cluster) => behind(cluster, hub) === undefined);
  const oldest = `${hub.major}.${hub.minor - supportedSkew}`;
  return [
    ...(old.length > 0
      ? [
          warning(
            "VersionSkew",
            old.length,
            sentence`The hub's version is ${hub.major}.${hub.minor}; these clusters are older than ${oldest}: ${named(old)}.`,
            sentence`Upgrade them to ${oldest} first; what they need to pre-cache may be missing there.`,
          ),
        ]
      : []),
    ...(unknown.length > 0
      ? [
          warning(
            "ClusterVersionUnknown",
            unknown.length,
            sentence`These clusters do not report an OpenShift version of the hub's major version: ${named(unknown)}.`,
            "Check the claim version.openshift.io or the label openshiftVersion of the ManagedCluster.",
          ),
        ]
      : []),
  ];
}
