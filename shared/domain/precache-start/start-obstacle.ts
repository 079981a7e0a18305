import { byCodeUnit, fieldsOf, isStringList, ownValue, textOf } from "../kubernetes/json/values.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import { type ClusterRecord, isUnreached } from "../precache-model/cluster-record.ts";
import { isFinalState, isRunningState } from "../precache-model/cluster-state.ts";
import { sentence } from "../text/redact.ts";
import type { Gate } from "../windows/gate.ts";
import { windowObstacle } from "./cluster-gates.ts";

/** A ClusterGroupUpgrade that is to pre-cache a cluster, and the cluster's state in that upgrade. */
export type Contender = Readonly<{
  namespace: string;
  name: string;
  /** RFC 3339 in whole seconds and UTC, as the API server writes it. */
  creationTimestamp: string;
  /** The state of the cluster in this upgrade; undefined if it has not started. */
  state: string | undefined;
}>;

function before(a: Contender, b: Contender): number {
  const started = Number(isRunningState(b.state)) - Number(isRunningState(a.state));
  return (
    started ||
    byCodeUnit(a.creationTimestamp, b.creationTimestamp) ||
    byCodeUnit(a.namespace, b.namespace) ||
    byCodeUnit(a.name, b.name)
  );
}

/**
 * Returns the upgrade that goes first: one that has started, or else the oldest; never one that has ended. All
 * processes get the same result.
 */
function highestPrecedence(contenders: readonly Contender[]): Contender | undefined {
  return contenders.filter(({ state }) => !isFinalState(state)).sort(before)[0];
}

/** Returns the upgrade that pre-caches this cluster before `self`; undefined if `self` is first. */
export function waitsFor(self: Contender, others: readonly Contender[]): Contender | undefined {
  const isSelf = ({ namespace, name }: Contender) => namespace === self.namespace && name === self.name;
  const first = highestPrecedence([self, ...others.filter((other) => !isSelf(other))]);
  return first && !isSelf(first) ? first : undefined;
}

/** Returns the sentence that says that a cluster waits for this upgrade. */
export function waitingReason({ namespace, name }: Contender): string {
  return sentence`Waits for ClusterGroupUpgrade/${namespace}/${name}, which pre-caches this cluster first.`;
}

/** The creation time to assume for a manifest from a file, which has none. It sorts after every real creation time. */
const notCreated = "9999";

/** Returns a cluster's state in the status of an upgrade; undefined if the cluster has not started. */
export function stateIn({ status }: KubernetesObject, cluster: string): string | undefined {
  return textOf(ownValue(fieldsOf(fieldsOf(fieldsOf(status).precaching).status), cluster));
}

/** Returns a ClusterGroupUpgrade as a contender for a cluster that has this state. */
export function contender(cgu: KubernetesObject, state: string | undefined): Contender {
  const { name, creationTimestamp = notCreated } = cgu.metadata;
  return { namespace: namespaceOf(cgu), name, creationTimestamp, state };
}

/** Returns the other upgrades with this cluster in their plan or status. Upgrades that TALM runs have no plan. */
function rivalsFor(cluster: string, others: readonly KubernetesObject[]): readonly Contender[] {
  return others.flatMap((other) => {
    const { clusters } = fieldsOf(fieldsOf(other.status).precaching);
    const isPlanned = isStringList(clusters) && clusters.includes(cluster);
    const state = stateIn(other, cluster);
    return isPlanned || state !== undefined ? [contender(other, state)] : [];
  });
}

/** Returns another upgrade that is running on this cluster; undefined without one. */
export function runningRival(cluster: string, others: readonly KubernetesObject[]): Contender | undefined {
  return rivalsFor(cluster, others).find(({ state }) => isRunningState(state));
}

/** Returns the upgrade that pre-caches this cluster before `cgu`, which has not started; undefined without one. */
export function earlierUpgrade(
  cgu: KubernetesObject,
  cluster: string,
  others: readonly KubernetesObject[],
): Contender | undefined {
  return waitsFor(contender(cgu, undefined), rivalsFor(cluster, others));
}

/** Reports whether a cluster may start once a slot is free. A cluster with an unreachable agent may not. */
export function isWaiting(record: ClusterRecord | undefined): boolean {
  return record === undefined || (record.state === "NotStarted" && !isUnreached(record));
}

/** Returns why a waiting cluster may not start now; undefined if it may. Limits are not checked here. */
export function startObstacle(
  cgu: KubernetesObject,
  cluster: string,
  gate: Gate,
  others: readonly KubernetesObject[],
): string | undefined {
  const closed = windowObstacle(gate);
  if (closed !== undefined) return closed;
  const earlier = earlierUpgrade(cgu, cluster, others);
  return earlier && waitingReason(earlier);
}
