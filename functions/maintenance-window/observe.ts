import { isRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { waitingLabels } from "#shared/domain/windows/cost-window.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/runtime/controller.ts";

/** The hub objects that maintenance windows depend on. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  /** The MaintenanceWindows, whose status is written. */
  windows: readonly KubernetesObject[];
  /** Only the status of windows has changed: nothing else was read. */
  isStatusChange: boolean;
  upgrades: readonly KubernetesObject[];
  configs: readonly KubernetesObject[];
  /** The PreCachingReports of the upgrades. */
  reports: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
  /** The Events of pools whose changes wait for a window. */
  poolEvents: readonly KubernetesObject[];
}>;

function areObserved(windows: readonly KubernetesObject[]): boolean {
  return windows.every(({ metadata, status }) => {
    const observed = isRecord(status) ? status.observedGeneration : undefined;
    return observed !== undefined && observed === metadata.generation;
  });
}

/**
 * Reads the windows first, because they may be written, and then what they depend on: six lists for a fleet. An
 * update of only the status comes from this function, so the fleet is not read for it. Otherwise each reconcile would
 * find progress, write it, and so trigger the next reconcile.
 */
export async function observe(
  hub: HubReader,
  _key: string,
  now: Date,
  _external: ExternalPorts,
  hints: readonly Hint[] | undefined,
): Promise<Snapshot> {
  const windows = await hub.list(kinds.MaintenanceWindow);
  const base = { now, hubId: hub.id, windows };
  const areUpdates = hints?.every(({ verb }) => verb === "update");
  if (areUpdates && areObserved(windows))
    return {
      ...base,
      isStatusChange: true,
      upgrades: [],
      configs: [],
      reports: [],
      managedClusters: [],
      poolEvents: [],
    };
  // Events are many: they are listed only when a pool may wait.
  const canPoolsWait = windows.some(({ spec }) => isRecord(Object(spec).allow?.maxCost));
  const [upgrades, configs, reports, managedClusters, poolEvents] = await Promise.all([
    hub.list(kinds.ClusterGroupUpgrade),
    hub.list(kinds.PreCachingConfig),
    hub.list(kinds.PreCachingReport),
    hub.list(kinds.ManagedCluster),
    canPoolsWait ? hub.list(kinds.Event, { labels: waitingLabels }) : [],
  ]);
  return { ...base, isStatusChange: false, upgrades, configs, reports, managedClusters, poolEvents };
}
