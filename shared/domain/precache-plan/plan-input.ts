import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import type { GraphLookup } from "./policies/update-graph.ts";
import { nodesIn } from "./selection/cluster-facts.ts";
import { managedClustersIn } from "./selection/declared-clusters.ts";
import type { Profile } from "./values/precaching-values.ts";

/** What one ClusterGroupUpgrade's plan is made from. The lists may also contain objects that this plan does not need. */
export type PlanInput = Readonly<{
  cgu: KubernetesObject;
  managedClusters: readonly KubernetesObject[];
  /** The number of nodes by cluster name; without the clusters whose number is unknown. */
  nodes: ReadonlyMap<string, number>;
  /** Root policies, and their copies in the namespaces of clusters, if these were read. */
  policies: readonly KubernetesObject[];
  preCachingConfigs: readonly KubernetesObject[];
  configMaps: readonly KubernetesObject[];
  /** ImageBasedGroupUpgrades. Their clusters are left out of the plan. */
  imageBasedUpgrades: readonly KubernetesObject[];
  hubVersion: string | undefined;
  lookup: GraphLookup;
}>;

export type PlanOptions = Readonly<{
  profile?: Profile;
  /** Repositories from which the profile `hardened` allows index images; undefined allows all. */
  indexRepositories?: readonly string[];
  /** Whether to query the update graph even for a release image in a policy, to compare it with the image in the graph. */
  checksGraph?: boolean;
  /** True if the deployment has no workload image: nothing is pre-cached. */
  isOff?: boolean;
}>;

/** Settings of the deployment that affect pre-cache plans. */
export type PlanningSettings = Readonly<{
  profile: Profile;
  /** The hub's OpenShift version; undefined to use the version in the hub's ClusterVersion. */
  hubVersion: string | undefined;
  /** Repositories from which the profile `hardened` allows index images. */
  indexRepositories: readonly string[];
  /** The workload image for managed clusters; empty if hubrelay starts no workload there. */
  workloadImage: string;
}> &
  Pick<PlanOptions, "isOff">;

/** Returns the planning input of each ClusterGroupUpgrade among these objects. */
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
