import { fieldsOf, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Clock } from "#shared/domain/windows/clock.ts";
import { waitingLabels } from "#shared/domain/windows/cost-window.ts";
import type { ReconcileRequest } from "#shared/runtime/controller.ts";

/** The objects from which the status of maintenance windows is derived. */
export type Snapshot = Readonly<{
  now: Date;
  clockAheadSeconds?: Clock["clockAheadSeconds"];
  hubId: string;
  windows: readonly KubernetesObject[];
  upgrades: readonly KubernetesObject[];
  configs: readonly KubernetesObject[];
  reports: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
  /** The Events about changes that wait for a window. The list may also include other Events of the same function. */
  waitingEvents: readonly KubernetesObject[];
}>;

/** Reads the windows first, because they may be written, and then the objects from which their status is derived. */
export async function observe({ hub, now }: ReconcileRequest): Promise<Snapshot> {
  const windows = await hub.list(kinds.MaintenanceWindow);
  const allowed = windows.map(({ spec }) => fieldsOf(fieldsOf(spec).allow));
  const mayWait = allowed.some(({ maxCost }) => isRecord(maxCost));
  const [upgrades, configs, reports, managedClusters, waitingEvents] = await Promise.all([
    hub.list(kinds.ClusterGroupUpgrade),
    hub.list(kinds.PreCachingConfig),
    hub.list(kinds.PreCachingReport),
    hub.list(kinds.ManagedCluster),
    // A hub has many Events. They are listed only if a change may wait for a window.
    mayWait ? hub.list(kinds.Event, { labels: waitingLabels }) : [],
  ]);
  return {
    now,
    hubId: hub.id,
    windows,
    upgrades,
    configs,
    reports,
    managedClusters,
    waitingEvents,
  };
}
