import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import type { GraphLookup } from "./policies/update-graph.ts";
import { nodesIn } from "./selection/cluster-facts.ts";
import { managedClustersIn } from "./selection/declared-clusters.ts";
import type { Profile } from "./values/precaching-values.ts";

/** The sources of one ClusterGroupUpgrade's plan. Lists may contain other objects of the kind. */
export type PlanInput = Readonly<{
  cgu: KubernetesObject;
  managedClusters: readonly KubernetesObject[];
  /** The number of nodes by cluster name; absent for clusters whose number is unknown. */
  nodes: ReadonlyMap<string, number>;
  /** Root policies, and the copies in the clusters' namespaces that were read. */
  policies: readonly KubernetesObject[];
  preCachingConfigs: readonly KubernetesObject[];
  configMaps: readonly KubernetesObject[];
  /** ImageBasedGroupUpgrades, whose clusters are left to them. */
  imageBasedUpgrades: readonly KubernetesObject[];
  hubVersion: string | undefined;
  lookup: GraphLookup;
}>;

export type PlanOptions = Readonly<{
  profile?: Profile;
  /** The repositories of index images that the profile hardened allows; undefined allows all. */
  indexRepositories?: readonly string[];
  /** True to query the update graph about a release with a written image, too, and to compare both. */
  checksGraph?: boolean;
  /** True in a deployment without a workload image: nothing is pre-cached. */
  isOff?: boolean;
}>;

/** Settings of the deployment for pre-cache plans. */
export type PlanningSettings = Readonly<{
  profile: Profile;
  /** The hub's OpenShift version, which replaces the one in its ClusterVersion. */
  hubVersion: string | undefined;
  /** The repositories of index images that the profile hardened allows. */
  indexRepositories: readonly string[];
  /** The workload image on managed clusters; empty when nothing is started there. */
  workloadImage: string;
}> &
  Pick<PlanOptions, "isOff">;

/** Returns the planning inputs in a list of objects, one for each ClusterGroupUpgrade. */
export function planInputsOf(
  objects: readonly KubernetesObject[],
  hubVersion: string | undefined,
): readonly Omit<PlanInput, "lookup">[] {
  const of = (kind: (typeof kinds)[keyof typeof kinds]) => objects.filter((object) => isKind(kind, object));
  const shared = {
    managedClusters: managedClustersIn(objects),
    nodes: nodesIn(of(kinds.ManagedClusterInfo)),
    policies: of(kinds.Policy),
    preCachingConfigs: of(kinds.PreCachingConfig),
    configMaps: of(kinds.ConfigMap),
    imageBasedUpgrades: of(kinds.ImageBasedGroupUpgrade),
    hubVersion,
  };
  return of(kinds.ClusterGroupUpgrade).map((cgu) => ({ cgu, ...shared }));
}
