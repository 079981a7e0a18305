import type { Issue } from "../issues/issue.ts";
import type { Condition } from "../kubernetes/conditions.ts";
import type { PrecachingSpec } from "./precaching-spec.ts";

/** The download of one cluster. Sizes are bytes on the network: compressed layers, each counted once. */
export type ClusterSizes = Readonly<{
  name: string;
  /** As registries spell it, such as `amd64`. */
  architecture: string;
  /** The size of all content; null if no size is known. */
  totalBytes: number | null;
  /** The bytes that are not on the cluster yet; null if no size is known. */
  missingBytes: number | null;
  site: string | null;
}>;

/** The total download of the clusters at one site, which share one link. */
export type SiteSizes = Readonly<{
  site: string;
  clusters: number;
  /** The sum of the known sizes; null if no size is known. */
  missingBytes: number | null;
}>;

/** An item whose size is not known exactly, and the reason. */
export type NotCounted = Readonly<{ name: string; reason: string }>;

/** The sizes of a plan's downloads, in bytes. */
export type PrecacheSizes = Readonly<{
  /** Clusters with the action `precache` or `wait`, in the order of the plan. */
  clusters: readonly ClusterSizes[];
  sites: readonly SiteSizes[];
  /** Items whose size is not known exactly. The sums are too low, unless the reason of an item says otherwise. */
  notCounted: readonly NotCounted[];
}>;

export const bytesPerGib = 1024 ** 3;

/** What happens with a selected cluster: it pre-caches now, is left out, or waits. */
export type ClusterAction = "precache" | "leave out" | "wait";

/** A selected cluster with its action. `reason` is a sentence. */
export type PlannedCluster = Readonly<{ name: string; action: ClusterAction; reason: string }>;

/** The plan of a ClusterGroupUpgrade. If planning is impossible, `spec` is empty, and conditions and issues say why. */
export type PrecachePlan = Readonly<{
  namespace: string;
  name: string;
  spec: PrecachingSpec;
  /** In the order of `status.conditions`; `oc get cgu` shows the last condition. */
  conditions: readonly Condition[];
  clusters: readonly PlannedCluster[];
  issues: readonly Issue[];
  /** Absent if no registry was queried. */
  sizes?: PrecacheSizes;
}>;
