import type { Issue } from "../../issues/issue.ts";
import type { Condition } from "../../kubernetes/conditions.ts";
import type { PrecacheSizes } from "./precache-sizes.ts";
import type { PrecachingSpec } from "./precaching-spec.ts";

/**
 * What happens to a selected cluster: `precache` it, `leave out` until something changes, or `wait` for what the
 * reason names.
 */
export type ClusterAction = "precache" | "leave out" | "wait";

/** One selected cluster and the reason for its action, as a sentence. */
export type PlannedCluster = Readonly<{ name: string; action: ClusterAction; reason: string }>;

/**
 * The plan of a ClusterGroupUpgrade: the content, the clusters, and the conditions that report it. One that cannot be
 * planned has the conditions and issues that say why, and an empty spec.
 */
export type PrecachePlan = Readonly<{
  namespace: string;
  name: string;
  spec: PrecachingSpec;
  /** In the order of `status.conditions`: `oc get cgu` shows the last. */
  conditions: readonly Condition[];
  /** Every selected cluster, in the order of the selection. */
  clusters: readonly PlannedCluster[];
  issues: readonly Issue[];
  /** Only when registries were queried. */
  sizes?: PrecacheSizes;
}>;
