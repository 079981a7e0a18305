import { asWarnings, fieldIssue, type Issue } from "../issues/issue.ts";
import { byCodeUnit } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { capabilityIssues, upgradeIssues } from "./capabilities/capability-issues.ts";
import {
  type ClusterCapabilities,
  readCapabilityChoice,
  resolveCapabilities,
} from "./capabilities/cluster-version-capabilities.ts";
import { type CapabilityUpgrade, upgradeCapabilities } from "./capabilities/upgrade.ts";
import type { HostedCluster, ImageContentSource } from "./cluster/hosted-cluster.ts";
import {
  type CheckedReleases,
  missingReleases,
  payloadOf,
  unreadableReleases,
} from "./cluster/release-images.ts";
import { imagesOf } from "./cluster-images.ts";
import { type ClusterOverrides, overridesOf } from "./cluster-overrides.ts";
import { type GivenCluster, readHostedClusters } from "./given-clusters.ts";
import { type NodePool, nodePoolsByCluster, type ReadNodePool } from "./nodes/node-pool.ts";
import { nodePoolIssues } from "./nodes/node-pool-issues.ts";
import { configMapsOf } from "./nodes/pool-config.ts";
import type { CatalogImage } from "./olm-catalogs/annotation-images.ts";
import { type OlmCatalogs, olmCatalogs } from "./olm-catalogs/olm-catalogs.ts";
import { encodeOverridesLikeHypershift } from "./overrides/environment-text.ts";
import { overridesLikeHypershift } from "./overrides/hypershift-overrides.ts";
import { ignoredSources } from "./overrides/ignored-sources.ts";
import { readManagementMirrors } from "./overrides/management-mirrors.ts";
import { compatOf } from "./ownership.ts";
import { refusedValues } from "./validation/refusals.ts";
import { contentSourceIssues } from "./validation/unusable.ts";

/** One of the node pools of a hosted cluster. */
export type HostedNodePool = Omit<NodePool, "object" | "namespace" | "clusterName">;

/** The configuration of a HostedCluster's control plane, and its issues. */
export type HostedClusterReport = Readonly<{
  namespace: string;
  name: string;
  controlPlaneNamespace: string;
  /** What is on: the desired `spec.capabilities` of its ClusterVersion, or all that the release has. */
  capabilities: ClusterCapabilities;
  /** The mirrors of each source; an object without fields if there are none. */
  registryOverrides: Readonly<Record<string, readonly string[]>>;
  env: Readonly<{ OPENSHIFT_IMG_OVERRIDES: string }>;
  olmCatalogs: readonly CatalogImage[];
  imageContentSources: readonly ImageContentSource[];
  /** Sorted by name. */
  nodePools: readonly HostedNodePool[];
  /** `status.conditions`. */
  conditions: readonly unknown[];
  issues: readonly Issue[];
  /** The effect of the requested release on the capabilities; absent without one. */
  upgrade?: CapabilityUpgrade;
}>;

export type HostedOptions = Readonly<{
  /** The version of every release, overriding statuses and tags. */
  releaseVersion?: string | undefined;
  /** The version of a release that the clusters may be upgraded to. */
  toRelease?: string | undefined;
  /** The release images that were looked up, by image. */
  releases?: CheckedReleases | undefined;
  /** The catalogs that were looked up, by `namespace/name` of the cluster. */
  catalogs?: ReadonlyMap<string, CheckedCatalogs> | undefined;
  /** Issues from reading an object's file. */
  damage?: ReadonlyMap<KubernetesObject, readonly Issue[]> | undefined;
}>;

/** The catalog images of a cluster, or a sentence for each catalog that was not found. */
export type CheckedCatalogs = Readonly<{ images: readonly CatalogImage[] } | { problems: readonly string[] }>;

export type HostedReports = Readonly<{
  /** One for every HostedCluster, sorted by namespace and name. */
  clusters: readonly HostedClusterReport[];
  /** All issues, each only once. */
  issues: readonly Issue[];
}>;

/** The catalogs that were looked up, or else those computed offline. */
function catalogsOf(cluster: HostedCluster, { catalogs }: HostedOptions): OlmCatalogs {
  const offline = olmCatalogs(cluster, cluster.version, { compat: compatOf(cluster.object) });
  const checked = catalogs?.get(`${cluster.namespace}/${cluster.name}`);
  if (!checked) return offline;
  if ("images" in checked) return { ...offline, catalogs: checked.images };
  const missing = checked.problems.map((problem) =>
    fieldIssue(cluster.object, "", undefined, {
      code: "CatalogNotFound",
      message: problem,
      remedy: "Mirror the catalog, or fix the annotations that say where it is.",
    }),
  );
  return { catalogs: [], issues: [...offline.issues, ...missing] };
}

/** Returns the overrides that HyperShift writes for a cluster, and hubrelay's for one that it owns. */
function readOverrides(objects: readonly KubernetesObject[], { releases }: HostedOptions) {
  const { overrides, issues: dropped } = overridesLikeHypershift(objects);
  const issues = asWarnings(dropped);
  const shared: ClusterOverrides = { overrides, text: encodeOverridesLikeHypershift(overrides), issues };
  const mirrors = readManagementMirrors(objects);
  return {
    of: (cluster: HostedCluster): ClusterOverrides =>
      compatOf(cluster.object)
        ? shared
        : overridesOf(mirrors, imagesOf(cluster, payloadOf(cluster, releases))),
    /** The issues of the mirror objects: an invalid rule is an error where hubrelay leaves it out. */
    issuesFor: (clusters: readonly GivenCluster[]): readonly Issue[] =>
      clusters.some(({ cluster }) => !compatOf(cluster.object))
        ? mirrors.issues.map(({ issue }) => issue)
        : issues,
  };
}

function shownPool({ pool }: ReadNodePool): HostedNodePool {
  const { object: _, namespace: __, clusterName: ___, ...shown } = pool;
  return shown;
}

/**
 * Computes the configuration of every HostedCluster among the objects: capabilities, registry overrides, catalogs.
 * The mirrors are those of the ImageDigestMirrorSets, ImageContentSourcePolicies and ImageTagMirrorSets among the
 * objects. Pure, and never throws: results of registry lookups are passed in.
 */
export function reportHostedClusters(
  objects: readonly KubernetesObject[],
  options: HostedOptions = {},
): HostedReports {
  const { toRelease, releases, damage } = options;
  const overrides = readOverrides(objects, options);
  const poolsOf = nodePoolsByCluster(objects);
  const configMaps = configMapsOf(objects);
  const own: Issue[] = [];
  const given = readHostedClusters(objects, options);
  const clusters = given.map(({ cluster, issues: readIssues }): HostedClusterReport => {
    const { object, controlPlaneVersion: version } = cluster;
    const choice = readCapabilityChoice(cluster.capabilities);
    const capabilities = resolveCapabilities({ choice, version }, { compat: compatOf(object) });
    const catalogs = catalogsOf(cluster, options);
    const upgrade =
      toRelease === undefined ? undefined : upgradeCapabilities({ choice, from: version, to: toRelease });
    const mirrors = overrides.of(cluster);
    const pools = poolsOf(cluster);
    const ownIssues = [
      ...(damage?.get(object) ?? []),
      ...readIssues,
      ...refusedValues(object),
      ...contentSourceIssues(cluster),
      ...unreadableReleases(cluster),
      ...missingReleases(cluster, releases),
      ...capabilityIssues({ hostedCluster: object, choice, version, capabilities }),
      ...(upgrade ? upgradeIssues(object, choice, upgrade) : []),
      ...catalogs.issues,
      ...ignoredSources(cluster, mirrors.overrides.keys()),
      ...pools.flatMap((read) => nodePoolIssues(cluster, read, configMaps)),
    ];
    own.push(...ownIssues);
    return {
      namespace: cluster.namespace,
      name: cluster.name,
      controlPlaneNamespace: cluster.controlPlaneNamespace,
      capabilities,
      registryOverrides: Object.fromEntries(mirrors.overrides),
      env: { OPENSHIFT_IMG_OVERRIDES: mirrors.text },
      olmCatalogs: catalogs.catalogs,
      imageContentSources: cluster.imageContentSources,
      nodePools: pools.map(shownPool).sort((a, b) => byCodeUnit(a.name, b.name)),
      conditions: cluster.conditions,
      issues: [...ownIssues, ...mirrors.issues],
      ...(upgrade ? { upgrade } : {}),
    };
  });
  return { clusters, issues: [...overrides.issuesFor(given), ...own] };
}
