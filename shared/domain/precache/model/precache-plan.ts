import type { Issue } from "../../issues/issue.ts";
import type { Condition } from "../../kubernetes/conditions.ts";
import type { PrecacheSizes } from "./precache-sizes.ts";
import type { PrecachingSpec } from "./precaching-spec.ts";

/**
 * What happens to a selected cluster: `precache` it, `leave out` for good as long as nothing changes, or `wait` for
 * something that the reason names.
 */
export type ClusterAction = "precache" | "leave out" | "wait";

/** One selected cluster and, in a sentence, why this happens to it. */
export type PlannedCluster = Readonly<{ name: string; action: ClusterAction; reason: string }>;

/**
 * What a ClusterGroupUpgrade comes to: what is pre-cached, where, and in which conditions it is told. One that
 * cannot be planned has the conditions and issues that say why, and an empty spec.
 */
export type PrecachePlan = Readonly<{
  namespace: string;
  name: string;
  spec: PrecachingSpec;
  /** In the order in which they stand in `status.conditions`: `oc get cgu` shows the last. */
  conditions: readonly Condition[];
  /** Every selected cluster, in the order of the selection. */
  clusters: readonly PlannedCluster[];
  issues: readonly Issue[];
  /** Only where registries were asked. */
  sizes?: PrecacheSizes;
}>;
