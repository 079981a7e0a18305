import type { ClusterGroup } from "../domain/precache-progress/fleet/cluster-group.ts";
import type { AccessEnd } from "../domain/ready/access-ends.ts";

/** One upgrade in numbers. */
export type UpgradeMetrics = Readonly<{
  /** `namespace/name`. */
  upgrade: string;
  /** Clusters by the groups of `precache status`, without empty ones. */
  groups: readonly Readonly<{ group: ClusterGroup; clusters: number }>[];
  /** The share of the clusters that failed, from 0 to 1. */
  failedShare: number;
  /** Clusters without an end that end later than the plan's forecast said; absent where it said nothing. */
  late?: number;
  /**
   * Seconds until its first clusters may start, 0 where some may now, while they wait for images that mirrors do not have;
   * absent otherwise.
   */
  notReadyOpensInSeconds?: number;
}>;

/** Changes of pools or hosted clusters that are held. */
export type HeldChanges = Readonly<{
  kind: "MachineConfigPool" | "HostedCluster";
  /** For how long the oldest of them has been held; 0 without one. */
  oldestSeconds: number;
  /** The most openings of a window that have passed while a change was held. */
  openings: number;
}>;

/** A fleet in numbers, bounded however large it is. */
export type FleetMetrics = Readonly<{
  upgrades: readonly UpgradeMetrics[];
  held: readonly HeldChanges[];
  /** For how many seconds certificates, bundles and tokens for registries last, as reports have them. */
  access: readonly (Pick<AccessEnd, "what" | "name"> & Readonly<{ remainingSeconds: number }>)[];
}>;
