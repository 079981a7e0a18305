import type { Issue } from "../issues/issue.ts";
import type { Condition } from "../kubernetes/conditions.ts";
import type { PrecachingSpec } from "./precaching-spec.ts";

/** The download of one cluster. All bytes are transferred bytes: compressed layers, each counted once. */
export type ClusterSizes = Readonly<{
  name: string;
  /** The registry's name for the architecture, e.g. `amd64`. */
  architecture: string;
  /** The bytes of all content; null if no size is known. */
  totalBytes: number | null;
  /** Bytes that the current or last run still has to pull; null if no size is known. */
  missingBytes: number | null;
  site: string | null;
}>;

/** The total download of a site's clusters, which share one link. */
export type SiteSizes = Readonly<{
  site: string;
  clusters: number;
  /** The sum over the clusters with known sizes; null if no size is known. */
  missingBytes: number | null;
}>;

/** An item of uncertain size, and the reason. The sums omit it, or include it although perhaps no cluster pulls it. */
export type NotCounted = Readonly<{ name: string; reason: string }>;

/** The sizes of a plan's downloads, in bytes. */
export type PrecacheSizes = Readonly<{
  /** Clusters with the action `precache` or `wait`, in the order of the plan. */
  clusters: readonly ClusterSizes[];
  sites: readonly SiteSizes[];
  /** Items without an exact size: because of them, sums are too low, or too high if the reason of an item says so. */
  notCounted: readonly NotCounted[];
}>;

export const bytesPerGib = 1024 ** 3;

/** The action for a selected cluster: `precache` now, `leave out` until something changes, or `wait`. */
export type ClusterAction = "precache" | "leave out" | "wait";

/** One selected cluster and the reason for its action, as a sentence. */
export type PlannedCluster = Readonly<{ name: string; action: ClusterAction; reason: string }>;

/**
 * The plan of a ClusterGroupUpgrade: its content, clusters and conditions. If the upgrade cannot be planned, conditions
 * and issues report the problem, and the spec is empty.
 */
export type PrecachePlan = Readonly<{
  namespace: string;
  name: string;
  spec: PrecachingSpec;
  /** The plan's conditions, in the order of `status.conditions`; `oc get cgu` shows the last one. */
  conditions: readonly Condition[];
  /** Every selected cluster, in the order of the selection. */
  clusters: readonly PlannedCluster[];
  issues: readonly Issue[];
  /** The sizes of the plan's downloads; absent if no registry was queried. */
  sizes?: PrecacheSizes;
}>;
