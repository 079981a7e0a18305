import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isPulling, type Records } from "../precache-model/cluster-record.ts";
import { isFinalState } from "../precache-model/cluster-state.ts";
import { labelsByCluster, type PlannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { configsOf } from "../precache-model/upgrade-spec.ts";
import { gatekeeper } from "../windows/gate.ts";
import { clusterGates } from "./cluster-gates.ts";

/** The objects that determine which windows decide about clusters. */
export type WindowSources = Readonly<{
  /** The MaintenanceWindows. */
  windows: readonly KubernetesObject[];
  /** PreCachingConfigs; those that the upgrade does not name are ignored. */
  configs: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
}>;

export const noWindows: WindowSources = { windows: [], configs: [], managedClusters: [] };

/**
 * Returns why windows prevent a cluster from starting or continuing at `now`, as text; undefined for one that pulls
 * or has ended, and when no window restricts it.
 */
export function heldBackBy(
  cgu: KubernetesObject,
  upgrade: Pick<PlannedUpgrade, "clusters" | "states">,
  records: Records,
  { windows, configs, managedClusters }: WindowSources,
  now: Date,
): (cluster: string) => string | undefined {
  if (windows.length === 0) return () => undefined;
  const gates = clusterGates({
    annotatedObjects: [cgu, ...configsOf(cgu, configs)],
    upgrade,
    records,
    labelsOf: labelsByCluster(managedClusters),
    gate: gatekeeper(windows, ({ allow }) => allow.preCaching, { now }),
    now,
  });
  return (cluster) => {
    const state = ownValue(upgrade.states, cluster);
    if (isPulling(state, records.get(cluster)) || isFinalState(state)) return undefined;
    const decisive = gates.gateOf(cluster);
    return decisive.isOpen ? gates.tooLateFor(cluster) : `${decisive.reason}.`;
  };
}
