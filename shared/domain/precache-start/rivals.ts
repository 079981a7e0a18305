import { fieldsOf, isRecord, isStringList, ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isRunningState } from "../precache-model/cluster-state.ts";
import type { Contender } from "./precedence.ts";

/** Returns a ClusterGroupUpgrade as a contender for a cluster that has this state in it. */
export function contender({ metadata }: KubernetesObject, state: string | undefined): Contender {
  const { namespace = "", name, creationTimestamp = "" } = metadata;
  return { namespace, name, creationTimestamp, state };
}

/** Returns the other upgrades that want this cluster: those that planned it, and TALM's own that run on it. */
export function rivalsFor(cluster: string, others: readonly KubernetesObject[]): readonly Contender[] {
  return others.flatMap((other) => {
    const precaching = fieldsOf(other.status).precaching;
    if (!isRecord(precaching)) return [];
    const stored = ownValue(fieldsOf(precaching.status), cluster);
    const isPlanned = isStringList(precaching.clusters) && precaching.clusters.includes(cluster);
    const state = typeof stored === "string" ? stored : undefined;
    return isPlanned || state !== undefined ? [contender(other, state)] : [];
  });
}

/** Returns another upgrade that has already started on this cluster. */
export function runningRival(cluster: string, others: readonly KubernetesObject[]): Contender | undefined {
  return rivalsFor(cluster, others).find(({ state }) => isRunningState(state));
}
