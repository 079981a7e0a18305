import { ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isPulling, type Records } from "../precache-model/cluster-record.ts";
import { isFinalState } from "../precache-model/cluster-state.ts";
import { labelsByCluster, type PlannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { configsOf } from "../precache-model/upgrade-spec.ts";
import { type Gate, gatekeeper } from "../windows/gate.ts";

/** Returns the reason why a gate keeps a cluster from starting or continuing; undefined for an open gate. */
export function windowObstacle(gate: Gate): string | undefined {
  return gate.isOpen ? undefined : `${gate.reason}.`;
}

/** The objects that determine which MaintenanceWindows decide about a cluster. */
export type WindowSources = Readonly<{
  windows: readonly KubernetesObject[];
  /** PreCachingConfigs. Only those that the upgrade references are used. */
  configs: readonly KubernetesObject[];
  managedClusters: readonly KubernetesObject[];
}>;

export const noWindows: WindowSources = { windows: [], configs: [], managedClusters: [] };

/** Returns a function that returns why windows keep a cluster from starting or continuing, or undefined if none do. */
export function heldBackBy(
  cgu: KubernetesObject,
  upgrade: Pick<PlannedUpgrade, "states">,
  records: Records,
  { windows, configs, managedClusters }: WindowSources,
  now: Date,
): (cluster: string) => string | undefined {
  if (windows.length === 0) return () => undefined;
  const annotatedObjects = [cgu, ...configsOf(cgu, configs)];
  const labelsOf = labelsByCluster(managedClusters);
  const gate = gatekeeper(windows, ({ allow }) => allow.preCaching, { now });
  return (cluster) => {
    const state = ownValue(upgrade.states, cluster);
    if (isPulling(state, records.get(cluster)) || isFinalState(state)) return undefined;
    return windowObstacle(gate(annotatedObjects, labelsOf(cluster)));
  };
}
