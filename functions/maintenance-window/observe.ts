import { fieldsOf, isRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { waitingLabels } from "#shared/domain/windows/cost-window.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";

/** The hub objects that maintenance windows depend on. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  /** The MaintenanceWindows, whose status is written. */
  windows: readonly KubernetesObject[];
  upgrades: readonly KubernetesObject[];
  configs: readonly KubernetesObject[];
  /** The PreCachingReports of the upgrades. */
  reports: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
  /** The Events of pools whose changes wait for a window. */
  poolEvents: readonly KubernetesObject[];
}>;

/** Reads the windows first, because they may be written, and then what they depend on: six lists for a fleet. */
export async function observe({ hub, now }: ReconcileRequest): Promise<Snapshot> {
  const windows = await hub.list(kinds.MaintenanceWindow);
  // Events are many: they are listed only when a pool may wait.
  const canPoolsWait = windows.some(({ spec }) => isRecord(fieldsOf(fieldsOf(spec).allow).maxCost));
  const [upgrades, configs, reports, managedClusters, poolEvents] = await Promise.all([
    hub.list(kinds.ClusterGroupUpgrade),
    hub.list(kinds.PreCachingConfig),
    hub.list(kinds.PreCachingReport),
    hub.list(kinds.ManagedCluster),
    canPoolsWait ? hub.list(kinds.Event, { labels: waitingLabels }) : [],
  ]);
  return { now, hubId: hub.id, windows, upgrades, configs, reports, managedClusters, poolEvents };
}
