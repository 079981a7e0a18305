import { type Issue, issueObject } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { capabilityIssues, upgradeIssues } from "./capabilities/capability-issues.ts";
import {
  type ClusterCapabilities,
  readCapabilityChoice,
  resolveCapabilities,
} from "./capabilities/resolve.ts";
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
import { readHostedClusters } from "./given-clusters.ts";
import type { CatalogImage } from "./olm-catalogs/annotation-images.ts";
import { type OlmCatalogs, olmCatalogs } from "./olm-catalogs/olm-catalogs.ts";
import { encodeOverridesLikeHypershift } from "./overrides/environment-text.ts";
import { overridesLikeHypershift } from "./overrides/hypershift-overrides.ts";
import { readManagementMirrors } from "./overrides/management-mirrors.ts";
import { unusableContentSources } from "./validation/unusable.ts";
import { refusedValues } from "./validation/validate-hosted-cluster.ts";

/** What a HostedCluster's control plane is given, and what is wrong with it. */
export type HostedClusterReport = Readonly<{
  namespace: string;
  name: string;
  controlPlaneNamespace: string;
  /** For `spec.capabilities` of its ClusterVersion. */
  capabilities: ClusterCapabilities;
  /** The mirrors of each source; an object without fields when there are none. */
  registryOverrides: Readonly<Record<string, readonly string[]>>;
  env: Readonly<{ OPENSHIFT_IMG_OVERRIDES: string }>;
  olmCatalogs: readonly CatalogImage[];
  imageContentSources: readonly ImageContentSource[];
  /** `status.conditions`. */
  conditions: readonly unknown[];
  issues: readonly Issue[];
  /** What becomes of the capabilities with the release that was asked about; absent when none was. */
  upgrade?: CapabilityUpgrade;
}>;

export type HostedOptions = Readonly<{
  /** Exactly what HyperShift's operators work out. */
  compat?: "hypershift" | undefined;
  /** The version of every release, whatever status and tags say. */
  releaseVersion?: string | undefined;
  /** The version of a release that the clusters may be upgraded to. */
  toRelease?: string | undefined;
  /** What registries said of release images, by image. Absent ones were not asked for. */
  releases?: CheckedReleases | undefined;
  /** What registries said of the catalogs of a cluster, by its `namespace/name`; absent where none was asked. */
  catalogs?: ReadonlyMap<string, CheckedCatalogs> | undefined;
  /** What could not be read of an object before it came here. */
  damage?: ReadonlyMap<KubernetesObject, readonly Issue[]> | undefined;
}>;

/** Where registries have the catalogs of a cluster, or what was not found, a sentence each. */
export type CheckedCatalogs = Readonly<{ images: readonly CatalogImage[] } | { problems: readonly string[] }>;

export type HostedReports = Readonly<{
  /** One for every HostedCluster, by namespace and name. */
  clusters: readonly HostedClusterReport[];
  /** Everything that is wrong, each thing once. */
  issues: readonly Issue[];
}>;

type Overrides = Readonly<{
  of: (cluster: HostedCluster) => ClusterOverrides;
  /** About the mirror objects. */
  issues: readonly Issue[];
}>;

/** The catalogs of a cluster before any registry is asked, or what registries said where one was. */
function catalogsOf(cluster: HostedCluster, { compat, catalogs }: HostedOptions): OlmCatalogs {
  const offline = olmCatalogs(cluster, cluster.version, { compat });
  const checked = catalogs?.get(`${cluster.namespace}/${cluster.name}`);
  if (!checked) return offline;
  if ("images" in checked) return { ...offline, catalogs: checked.images };
  const missing = checked.problems.map(
    (problem): Issue => ({
      code: "CatalogNotFound",
      severity: "error",
      object: issueObject(cluster.object),
      path: "",
      value: undefined,
      message: problem,
      remedy: "Mirror the catalog, or mend the annotations that say where it is.",
    }),
  );
  return { catalogs: [], issues: [...offline.issues, ...missing] };
}

function readOverrides(objects: readonly KubernetesObject[], { compat, releases }: HostedOptions): Overrides {
  if (compat === "hypershift") {
    const { overrides, issues } = overridesLikeHypershift(objects);
    const told = asWarnings(issues);
    const everybody = { overrides, text: encodeOverridesLikeHypershift(overrides), issues: told };
    return { of: () => everybody, issues: told };
  }
  const mirrors = readManagementMirrors(objects);
  return {
    of: (cluster) => overridesOf(mirrors, imagesOf(cluster, payloadOf(cluster, releases))),
    issues: mirrors.issues.map(({ issue }) => issue),
  };
}

/** HyperShift leaves these to the API servers of hub and guest. */
function asWarnings(issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue): Issue => ({ ...issue, severity: "warning" }));
}

/**
 * What every HostedCluster among the objects is given: capabilities, registry overrides, catalogs. The mirrors are
 * those of the ImageDigestMirrorSets, ImageContentSourcePolicies and ImageTagMirrorSets among the objects. Pure, and never
 * throws: what registries know has to be given.
 */
export function reportHostedClusters(
  objects: readonly KubernetesObject[],
  options: HostedOptions = {},
): HostedReports {
  const { compat, toRelease, releases, damage } = options;
  const overrides = readOverrides(objects, options);
  const own: Issue[] = [];
  const clusters = readHostedClusters(objects, options).map((given): HostedClusterReport => {
    const { cluster } = given;
    const { object, version } = cluster;
    const choice = readCapabilityChoice(cluster.capabilities);
    const capabilities = resolveCapabilities({ choice, version }, { compat });
    const catalogs = catalogsOf(cluster, options);
    const upgrade =
      toRelease === undefined ? undefined : upgradeCapabilities({ choice, from: version, to: toRelease });
    const refused = refusedValues(object).filter(({ code }) => code !== "RulesNotChecked");
    const judged = [
      ...given.issues.filter(({ path }) => !refused.some((issue) => issue.path === path)),
      ...refused,
      ...unusableContentSources(cluster),
      ...unreadableReleases(cluster),
      ...missingReleases(cluster, releases),
      ...capabilityIssues({ hostedCluster: object, choice, version, capabilities }),
      ...(upgrade ? upgradeIssues(object, choice, upgrade) : []),
    ];
    const ownIssues = [
      ...(damage?.get(object) ?? []),
      ...(compat ? asWarnings(judged) : judged),
      ...catalogs.issues,
    ];
    own.push(...ownIssues);
    const mirrors = overrides.of(cluster);
    return {
      namespace: cluster.namespace,
      name: cluster.name,
      controlPlaneNamespace: cluster.controlPlaneNamespace,
      capabilities,
      registryOverrides: Object.fromEntries(mirrors.overrides),
      env: { OPENSHIFT_IMG_OVERRIDES: mirrors.text },
      olmCatalogs: catalogs.catalogs,
      imageContentSources: cluster.imageContentSources,
      conditions: cluster.conditions,
      issues: [...ownIssues, ...mirrors.issues],
      ...(upgrade ? { upgrade } : {}),
    };
  });
  return { clusters, issues: [...overrides.issues, ...own] };
}
