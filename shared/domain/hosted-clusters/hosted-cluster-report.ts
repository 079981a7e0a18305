import { fieldIssue, type Issue } from "../issues/issue.ts";
import { byCodeUnit, fieldsOf } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { capabilityIssues, upgradeIssues } from "./capabilities/capability-issues.ts";
import {
  type ClusterCapabilities,
  readCapabilityChoice,
  writtenCapabilities,
} from "./capabilities/cluster-version-capabilities.ts";
import { type CapabilityUpgrade, upgradeCapabilities } from "./capabilities/upgrade.ts";
import type { HostedCluster, ImageContentSource } from "./cluster/hosted-cluster.ts";
import {
  type CheckedReleases,
  missingReleases,
  payloadOf,
  unreadableReleases,
} from "./cluster/release-images.ts";
import { type ClusterOverrides, ignoredSources, imagesOf, overridesOf } from "./cluster-overrides.ts";
import { readHostedClusters } from "./given-clusters.ts";
import { type NodePool, nodePoolsByCluster, type ReadNodePool } from "./nodes/node-pool.ts";
import { nodePoolIssues } from "./nodes/node-pool-issues.ts";
import { configMapsOf } from "./nodes/pool-config.ts";
import { untakenMirrors } from "./olm-catalogs/mirrored-catalogs.ts";
import { type CatalogImage, type OlmCatalogs, olmCatalogs } from "./olm-catalogs/olm-catalogs.ts";
import { overridesLikeHypershift } from "./overrides/hub-overrides.ts";
import { isOwned } from "./ownership.ts";
import { refusedValues } from "./validation/refusals.ts";
import { contentSourceIssues } from "./validation/validate-hosted-cluster.ts";

/** A node pool in the report of its hosted cluster. */
export type HostedNodePool = Omit<NodePool, "object" | "namespace" | "clusterName">;

/** The configuration of a HostedCluster and its node pools, and its issues. */
export type HostedClusterReport = Readonly<{
  namespace: string;
  name: string;
  controlPlaneNamespace: string;
  /** `spec.capabilities` of the guest's ClusterVersion; null if omitted, which enables every capability. */
  capabilities: ClusterCapabilities | null;
  registryOverrides: Readonly<Record<string, readonly string[]>>;
  env: Readonly<{ OPENSHIFT_IMG_OVERRIDES: string }>;
  olmCatalogs: readonly CatalogImage[];
  imageContentSources: readonly ImageContentSource[];
  nodePools: readonly HostedNodePool[];
  issues: readonly Issue[];
  /** How the release `toRelease` would change the capabilities. Absent without this option. */
  upgrade?: CapabilityUpgrade;
}>;

export type HostedOptions = Readonly<{
  /** The version of every cluster; it takes precedence over statuses and image tags. */
  releaseVersion?: string | undefined;
  toRelease?: string | undefined;
  releases?: CheckedReleases | undefined;
  /** The catalogs that were looked up, by `namespace/name` of the cluster. */
  catalogs?: ReadonlyMap<string, CheckedCatalogs> | undefined;
}>;

/** The catalog images of a cluster, or one sentence for each catalog that was not found. */
export type CheckedCatalogs = Readonly<{ images: readonly CatalogImage[] } | { problems: readonly string[] }>;

export type HostedReports = Readonly<{
  /** Sorted by namespace and name. */
  clusters: readonly HostedClusterReport[];
  /** The issues of all clusters and of the mirror objects, without duplicates. */
  issues: readonly Issue[];
}>;

function catalogsOf(cluster: HostedCluster, { catalogs }: HostedOptions): OlmCatalogs {
  const offline = olmCatalogs(cluster);
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

function shownPool({ pool }: ReadNodePool): HostedNodePool {
  const { object: _, namespace: __, clusterName: ___, ...shown } = pool;
  return shown;
}

/**
 * Reports the capabilities, registry overrides and catalogs of every HostedCluster among the objects. Contacts no
 * registry: the options have the results of lookups.
 */
export function reportHostedClusters(
  objects: readonly KubernetesObject[],
  options: HostedOptions = {},
): HostedReports {
  const { toRelease, releases } = options;
  const hub = overridesLikeHypershift(objects);
  const poolsOf = nodePoolsByCluster(objects);
  const configMaps = configMapsOf(objects);
  const own: Issue[] = [];
  const withObject = (mirrors: ClusterOverrides) => ({
    ...mirrors,
    registryOverrides: Object.fromEntries(mirrors.overrides),
  });
  const all = withObject(overridesOf(hub));
  const given = readHostedClusters(objects, options);
  const clusters = given.map(({ cluster, issues: readIssues }): HostedClusterReport => {
    const { object, controlPlaneVersion: version } = cluster;
    const choice = readCapabilityChoice(cluster.capabilities);
    const catalogs = catalogsOf(cluster, options);
    const upgrade =
      toRelease === undefined ? undefined : upgradeCapabilities({ choice, from: version, to: toRelease });
    const mirrors = isOwned(object)
      ? withObject(overridesOf(hub, imagesOf(cluster, payloadOf(cluster, releases))))
      : all;
    const pools = poolsOf(cluster);
    const ownIssues = [
      ...readIssues,
      ...refusedValues(object),
      ...contentSourceIssues(cluster),
      ...unreadableReleases(cluster),
      ...missingReleases(cluster, releases),
      ...capabilityIssues({ hostedCluster: object, choice, version }),
      ...(upgrade ? upgradeIssues(object, choice, upgrade) : []),
      ...catalogs.issues,
      ...untakenMirrors(cluster, hub.overrides),
      ...ignoredSources(cluster, mirrors.overrides.keys()),
      ...pools.flatMap((read) => nodePoolIssues(cluster, read, configMaps)),
    ];
    own.push(...ownIssues);
    return {
      namespace: cluster.namespace,
      name: cluster.name,
      controlPlaneNamespace: cluster.controlPlaneNamespace,
      capabilities: writtenCapabilities({ choice, version }),
      registryOverrides: mirrors.registryOverrides,
      env: { OPENSHIFT_IMG_OVERRIDES: mirrors.text },
      olmCatalogs: catalogs.catalogs,
      imageContentSources: cluster.imageContentSources,
      nodePools: pools.map(shownPool).sort((a, b) => byCodeUnit(a.name, b.name)),
      issues: ownIssues.concat(mirrors.issues),
      ...(upgrade ? { upgrade } : {}),
    };
  });
  return { clusters, issues: [...hub.issues.map(({ issue }) => issue), ...own] };
}

function upgradeText({ upgradeType, maxSurge, maxUnavailable }: HostedNodePool): string {
  const limits = [
    ...(maxSurge === null ? [] : [sentence`${maxSurge} more`]),
    ...(maxUnavailable === null ? [] : [sentence`${maxUnavailable} unavailable`]),
  ];
  return limits.length === 0
    ? (upgradeType ?? "unknown upgrade type")
    : sentence`${upgradeType}, ${limits.join(" and ")} at a time`;
}

const statusOf = (condition: unknown, type: string): boolean =>
  fieldsOf(condition).type === type && fieldsOf(condition).status === "False";

function poolText(pool: HostedNodePool): string {
  const { name, version, releaseImage, arch, platform, nodes, autoScaling, config, conditions } = pool;
  const scaled = autoScaling
    ? sentence`, scaled from ${autoScaling.min ?? 0} to ${autoScaling.max ?? "any"}`
    : "";
  const count = nodes === null ? "number of nodes unknown" : nodes === 1 ? "1 node" : `${nodes} nodes`;
  const parts = [
    version ?? (releaseImage || "no release"),
    ...(platform === null ? [arch] : [`${platform} ${arch}`]),
    `${count}${scaled}`,
    upgradeText(pool),
    ...(config.length > 0 ? [sentence`configured by ${config.join(", ")}`] : []),
    ...(conditions.some((one) => statusOf(one, "Ready")) ? ["not ready"] : []),
  ];
  return sentence`${name}: ${parts.join("; ")}`;
}

/** Returns each part of a hosted cluster's configuration, such as `catalogs`, with its lines of text. */
export function hostedItems({
  registryOverrides,
  olmCatalogs,
  imageContentSources,
  nodePools,
  capabilities,
}: HostedClusterReport): readonly (readonly [string, readonly string[]])[] {
  const enabled = capabilities
    ? (capabilities.additionalEnabledCapabilities ?? []).join(", ")
    : "all of the release";
  return [
    [
      "registry overrides",
      Object.entries(registryOverrides).map(
        ([source, mirrors]) => sentence`${source} from ${mirrors.join(", ")}`,
      ),
    ],
    ["catalogs", olmCatalogs.map(({ name, image }) => sentence`${name} from ${image}`)],
    [
      "nodes' mirrors",
      imageContentSources.map(({ source, mirrors }) => sentence`${source} from ${mirrors.join(", ")}`),
    ],
    ...(nodePools.length > 0 ? [["node pools", nodePools.map(poolText)] as const] : []),
    ["capabilities", enabled === "" ? [] : [enabled]],
  ];
}
