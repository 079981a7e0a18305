import { isRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { waitingLabels } from "#shared/domain/windows/cost-window.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Hint } from "#shared/runtime/controller.ts";

/** The hub as far as windows decide about it. */
export type Snapshot = Readonly<{
  now: Date;
  hubId: string;
  /** The MaintenanceWindows, whose status is written. */
  windows: readonly KubernetesObject[];
  /** Only the status of windows has changed: the rest was not read. */
  isStatusChange: boolean;
  upgrades: readonly KubernetesObject[];
  configs: readonly KubernetesObject[];
  /** What is known about the clusters of the upgrades. */
  reports: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
  /** The Events about pools whose changes wait for a window. */
  poolEvents: readonly KubernetesObject[];
}>;

/** True when every window's status tells of its present spec. */
function areLookedAt(windows: readonly KubernetesObject[]): boolean {
  return windows.every(({ metadata, status }) => {
    const observed = isRecord(status) ? status.observedGeneration : undefined;
    return observed !== undefined && observed === metadata.generation;
  });
}

/**
 * Reads the windows first, which may be written, and then what they decide about: six lists for a fleet. An update
 * that is one of the status alone is this function's own: the fleet is not read for it, for each look would else find
 * that some clusters have gone on, write that, and so lead to the next.
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
  if (areUpdates && areLookedAt(windows))
    return {
      ...base,
      isStatusChange: true,
      upgrades: [],
      configs: [],
      reports: [],
      managedClusters: [],
      poolEvents: [],
    };
  // Events are many: they are looked through only where a pool can wait.
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
