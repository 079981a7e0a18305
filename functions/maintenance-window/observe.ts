import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";

/** The hub as far as windows decide about it. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  /** The MaintenanceWindows, whose status is written. */
  windows: readonly KubernetesObject[];
  upgrades: readonly KubernetesObject[];
  configs: readonly KubernetesObject[];
  /** What is known about the clusters of the upgrades. */
  reports: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
}>;

/** Reads the windows first, which may be written, and then what they decide about: five lists for a fleet. */
export async function observe(hub: HubReader, _key: string, now: Date): Promise<Snapshot> {
  const windows = await hub.list(kinds.MaintenanceWindow);
  const [upgrades, configs, reports, managedClusters] = await Promise.all([
    hub.list(kinds.ClusterGroupUpgrade),
    hub.list(kinds.PreCachingConfig),
    hub.list(kinds.PreCachingReport),
    hub.list(kinds.ManagedCluster),
  ]);
  return { now, hubId: hub.id, windows, upgrades, configs, reports, managedClusters };
}
