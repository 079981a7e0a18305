import { fieldWarning, type Issue, versionIssues } from "../issues/issue.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { versionInTag } from "../openshift/releases/release.ts";
import { sentence } from "../text/redact.ts";
import { type HostedCluster, readHostedCluster } from "./cluster/hosted-cluster.ts";
import type { CheckedReleases } from "./cluster/release-images.ts";

type ReleaseVersions = Readonly<{
  /** The version of every release, overriding statuses and tags. */
  releaseVersion?: string | undefined;
  releases?: CheckedReleases | undefined;
}>;

/** A HostedCluster, and the issues of this object only. */
export type GivenCluster = Readonly<{ cluster: HostedCluster; issues: readonly Issue[] }>;

const fullName = ({ namespace, name }: HostedCluster) => `${namespace}/${name}`;

/** Manifests, unlike a hub, can contain two objects with one name. */
function givenTwice(cluster: HostedCluster): Issue {
  return fieldWarning(cluster.object, "metadata.name", cluster.name, {
    code: "DuplicateObject",
    message: sentence`The HostedCluster ${fullName(cluster)} is given more than once`,
    remedy: "Remove all but one: on a hub, each would replace the previous one.",
  });
}

function sharedNamespaces(clusters: readonly HostedCluster[]): (cluster: HostedCluster) => readonly Issue[] {
  const byNamespace = Map.groupBy(clusters, ({ controlPlaneNamespace }) => controlPlaneNamespace);
  return (cluster) => {
    const sharing = (byNamespace.get(cluster.controlPlaneNamespace) ?? []).filter((one) => one !== cluster);
    const others = sharing.filter((one) => fullName(one) !== fullName(cluster));
    const twice = others.length < sharing.length ? [givenTwice(cluster)] : [];
    if (others.length === 0) return twice;
    const names = others.map(fullName).join(", ");
    return [
      ...twice,
      fieldWarning(cluster.object, "metadata.name", cluster.name, {
        code: "SharedControlPlaneNamespace",
        message: sentence`Its control plane would be in ${cluster.controlPlaneNamespace}, as that of ${names}`,
        remedy: "Rename one of them: a dot in the name becomes a dash in the namespace.",
      }),
    ];
  };
}

/** Reads the HostedClusters among the objects, sorted by namespace and name; unreadable ones are included. */
export function readHostedClusters(
  objects: readonly KubernetesObject[],
  { releaseVersion, releases }: ReleaseVersions = {},
): readonly GivenCluster[] {
  const versionOf = (image: string) => {
    const content = releases?.get(image);
    return (content && "version" in content ? content.version : undefined) ?? versionInTag(image);
  };
  const read = objects
    .filter((object) => isOfAnyVersion(kinds.HostedCluster, object))
    .map((object): GivenCluster => {
      const { cluster, issues } = readHostedCluster(object, versionOf);
      const given = { version: releaseVersion, controlPlaneVersion: releaseVersion, begunVersions: [] };
      return {
        cluster: { ...cluster, ...(releaseVersion === undefined ? {} : given) },
        issues: [...versionIssues(kinds.HostedCluster, object), ...issues],
      };
    });
  const sharing = sharedNamespaces(read.map(({ cluster }) => cluster));
  return read
    .map(({ cluster, issues }) => ({ cluster, issues: [...issues, ...sharing(cluster)] }))
    .sort(
      ({ cluster: a }, { cluster: b }) => byCodeUnit(a.namespace, b.namespace) || byCodeUnit(a.name, b.name),
    );
}
