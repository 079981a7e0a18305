import { type Issue, versionIssues } from "../issues/issue.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { versionInTag } from "../openshift/releases/release.ts";
import { type HostedCluster, readHostedCluster } from "./cluster/hosted-cluster.ts";
import type { CheckedReleases } from "./cluster/release-images.ts";

type ReleaseVersions = Readonly<{
  /** The version of every cluster; it takes precedence over statuses and image tags. */
  releaseVersion?: string | undefined;
  releases?: CheckedReleases | undefined;
}>;

/** A HostedCluster, and the issues of this object only. */
export type GivenCluster = Readonly<{ cluster: HostedCluster; issues: readonly Issue[] }>;

/** Reads the HostedClusters among the objects, sorted by namespace and name. Invalid HostedClusters are included. */
export function readHostedClusters(
  objects: readonly KubernetesObject[],
  { releaseVersion, releases }: ReleaseVersions = {},
): readonly GivenCluster[] {
  const versionOf = (image: string) => {
    const content = releases?.get(image);
    return (content && "version" in content ? content.version : undefined) ?? versionInTag(image);
  };
  return objects
    .filter((object) => isOfAnyVersion(kinds.HostedCluster, object))
    .map((object): GivenCluster => {
      const { cluster, issues } = readHostedCluster(object, versionOf);
      const given = { version: releaseVersion, controlPlaneVersion: releaseVersion, begunVersions: [] };
      return {
        cluster: { ...cluster, ...(releaseVersion === undefined ? {} : given) },
        issues: [...versionIssues(kinds.HostedCluster, object), ...issues],
      };
    })
    .sort(
      ({ cluster: a }, { cluster: b }) => byCodeUnit(a.namespace, b.namespace) || byCodeUnit(a.name, b.name),
    );
}
