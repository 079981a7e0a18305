import { isKind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import type { GraphLookup } from "./policies/update-graph.ts";
import { nodesIn } from "./selection/cluster-facts.ts";
import { managedClustersIn } from "./selection/declared-clusters.ts";
import type { Profile } from "./values/precaching-values.ts";

/** The input from which one ClusterGroupUpgrade is planned. */
export type PlanInput = Readonly<{
  cgu: KubernetesObject;
  managedClusters: readonly KubernetesObject[];
  /** The number of nodes by cluster name. Clusters whose number is unknown are left out. */
  nodes: ReadonlyMap<string, number>;
  /** Root policies. The list may also have the copies of root policies in the namespaces of clusters. */
  policies: readonly KubernetesObject[];
  preCachingConfigs: readonly KubernetesObject[];
  configMaps: readonly KubernetesObject[];
  imageBasedUpgrades: readonly KubernetesObject[];
  hubVersion: string | undefined;
  lookup: GraphLookup;
}>;

export type PlanOptions = Readonly<{
  profile?: Profile;
  /** Repositories from which the profile `hardened` allows index images; undefined allows all repositories. */
  indexRepositories?: readonly string[];
  /** Whether the update graph is queried even if a policy names the release image, so that both are compared. */
  checksGraph?: boolean;
  /** True if the deployment has no workload image. Nothing is then pre-cached. */
  isOff?: boolean;
}>;

/** Settings of the deployment that affect pre-cache plans. */
export type PlanningSettings = Readonly<{
  profile: Profile;
  /** The hub's OpenShift version; undefined if the hub's ClusterVersion has to be read. */
  hubVersion: string | undefined;
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
