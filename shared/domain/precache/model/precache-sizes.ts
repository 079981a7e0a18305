/** Whether what is asked for fits a cluster: only the cluster knows what is free there. */
export type Room = "fits" | "too small" | "unknown";

/** What a cluster has to pull. Bytes are those that travel: compressed layers, each once. */
export type ClusterSizes = Readonly<{
  name: string;
  /** As registries call it: `amd64`. */
  architecture: string;
  totalBytes: number;
  /** What a run that is under way, or has ended, has not brought yet. */
  missingBytes: number;
  site: string | null;
  /** For the missing bytes when no other cluster pulls; null while no bandwidth is known. */
  seconds: number | null;
  room: Room;
  /** Null while nobody tells it. */
  freeBytes: number | null;
  /** Why `room` is what it is. */
  reason: string;
}>;

/** All clusters of a site behind its one link. */
export type SiteSizes = Readonly<{
  site: string;
  clusters: number;
  missingBytes: number;
  /** For all of them together; null while no bandwidth is known. */
  seconds: number | null;
}>;

/** Something that has a size, which is not in the sums, or is in them although it may not be pulled. */
export type NotCounted = Readonly<{ name: string; reason: string }>;

/** What a plan comes to in bytes and seconds. */
export type PrecacheSizes = Readonly<{
  /** Those that pre-cache, now or when they need not wait any more, in the order of the plan. */
  clusters: readonly ClusterSizes[];
  sites: readonly SiteSizes[];
  /** While there is any, bytes are a lower bound, or an upper one where the reason says so. */
  notCounted: readonly NotCounted[];
}>;
