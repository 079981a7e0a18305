import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import type { GraphLookup } from "./policies/update-graph.ts";
import { nodesIn } from "./selection/cluster-facts.ts";
import { managedClustersIn } from "./selection/declared-clusters.ts";
import type { Profile } from "./values/precaching-values.ts";

/** Everything that the plan of one ClusterGroupUpgrade depends on. Lists may contain more than it needs. */
export type PlanInput = Readonly<{
  cgu: KubernetesObject;
  managedClusters: readonly KubernetesObject[];
  /** The number of nodes of clusters for which it is known, by name. */
  nodes: ReadonlyMap<string, number>;
  /** Root policies, and their copies in the clusters' namespaces if these were read. */
  policies: readonly KubernetesObject[];
  preCachingConfigs: readonly KubernetesObject[];
  configMaps: readonly KubernetesObject[];
  /** ClusterGroupUpgrades, among which those are that this one waits for. */
  upgrades: readonly KubernetesObject[];
  /** The ManifestWorkReplicaSets among which its templates are. */
  templates: readonly KubernetesObject[];
  /** ImageBasedGroupUpgrades: clusters that one handles are left to it. */
  imageBasedUpgrades: readonly KubernetesObject[];
  hubVersion: string | undefined;
  lookup: GraphLookup;
}>;

export type PlanOptions = Readonly<{
  profile?: Profile;
  /** The repositories of index images that may be pre-cached in the profile hardened; undefined for any. */
  indexRepositories?: readonly string[];
  /** The update graph is also queried about a release whose image is written, to compare both. */
  checksGraph?: boolean;
  /** True in a deployment without a workload image: nothing is pre-cached. */
  isOff?: boolean;
}>;

/** Settings of the deployment for pre-cache plans. */
export type PlanningSettings = Readonly<{
  profile: Profile;
  /** The hub's OpenShift version, instead of the one in its ClusterVersion. */
  hubVersion: string | undefined;
  /** The repositories of index images that may be pre-cached in the profile hardened. */
  indexRepositories: readonly string[];
  /** The workload image on managed clusters; empty only where nothing is started there. */
  workloadImage: string;
}> &
  Pick<PlanOptions, "isOff">;

/** Groups objects by kind into planning inputs, one for each ClusterGroupUpgrade. */
export function planInputsOf(
  objects: readonly KubernetesObject[],
  hubVersion: string | undefined,
): readonly Omit<PlanInput, "lookup">[] {
  const of = (kind: (typeof kinds)[keyof typeof kinds]) => objects.filter((object) => isKind(kind, object));
  const upgrades = of(kinds.ClusterGroupUpgrade);
  const shared = {
    upgrades,
    managedClusters: managedClustersIn(objects),
    nodes: nodesIn(of(kinds.ManagedClusterInfo)),
    policies: of(kinds.Policy),
    preCachingConfigs: of(kinds.PreCachingConfig),
    configMaps: of(kinds.ConfigMap),
    templates: of(kinds.ManifestWorkReplicaSet),
    imageBasedUpgrades: of(kinds.ImageBasedGroupUpgrade),
    hubVersion,
  };
  return upgrades.map((cgu) => ({ cgu, ...shared }));
}
